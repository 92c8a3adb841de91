import { HELD_OUT_SKETCHES } from '#test/scans/sketches/held-out'
import { type Judgement, judgeSketch, ratesOf } from '#test/scans/sketches/judge-sketches'
import type { SketchedSite } from '#test/scans/sketches/sketch-site'
import { SKETCHES } from '#test/scans/sketches/sketches'
import { UNSEEN_SKETCHES } from '#test/scans/sketches/unseen'

/**
 * How well plans fit the sites of test/scans/sketches/, by what their owners wished before. --faults prints
 * what each owner would not accept. The last line is one number: plans accepted, percent.
 */

const hasFaults = process.argv.includes('--faults')
print('sites that were held out until the rules were done, by which none was mended', HELD_OUT_SKETCHES)
print('sites that were held out before, and looked at since', UNSEEN_SKETCHES)
const accepted = print('sites that were sketched before the change', SKETCHES)
console.log(percent(accepted))

/** Prints the rates of some sites, and returns the share of plans accepted. */
function print(title: string, sites: readonly SketchedSite[]): number {
  const judgements: Judgement[] = sites.map(judgeSketch)
  const rates = ratesOf(judgements)
  if (hasFaults) {
    for (const { name, faults } of judgements.filter(each => each.faults.length > 0)) {
      console.log(`${name}\n${faults.map(fault => `    ${fault}`).join('\n')}`)
    }
  }
  console.log(
    [
      `${rates.sites} ${title}`,
      `    class right: ${percent(rates.classRight)} %`,
      `    main action found: ${percent(rates.mainFound)} %`,
      `    items that name an element, a page state or an address: ${percent(rates.namedItems)} %`,
      `    sentences shared between sites: ${percent(rates.sharedSentences)} %`,
      `    plans accepted: ${percent(rates.accepted)} %`,
    ].join('\n'),
  )
  return rates.accepted
}

function percent(share: number): string {
  return (100 * share).toFixed(1)
}
