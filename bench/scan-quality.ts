import { type Judgement, judgeSketch, ratesOf } from '#test/scans/sketches/judge-sketches'
import { SKETCHES } from '#test/scans/sketches/sketches'

/**
 * How well plans fit the sites of test/scans/sketches/, by what their owners wished before. --faults prints
 * what each owner would not accept. The last line is one number: plans accepted, percent.
 */

const judgements: Judgement[] = SKETCHES.map(judgeSketch)
const rates = ratesOf(judgements)
if (process.argv.includes('--faults')) {
  for (const { name, faults } of judgements.filter(each => each.faults.length > 0)) {
    console.log(`${name}\n${faults.map(fault => `    ${fault}`).join('\n')}`)
  }
}
console.log(
  [
    `${rates.sites} sites`,
    `class right: ${percent(rates.classRight)} %`,
    `main action found: ${percent(rates.mainFound)} %`,
    `items that name an element, a page state or an address: ${percent(rates.namedItems)} %`,
    `sentences shared between sites: ${percent(rates.sharedSentences)} %`,
    `plans accepted, %:`,
    percent(rates.accepted),
  ].join('\n'),
)

function percent(share: number): string {
  return (100 * share).toFixed(1)
}
