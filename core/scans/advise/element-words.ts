import type { Action } from '#core/scans/read/findings'
import { pageWords } from './words-of-page.ts'

const KIND = { link: 'link', button: 'button', form: 'form' } as const
const REGION = {
  header: 'in the header of',
  nav: 'in the navigation of',
  main: 'on',
  aside: 'at the side of',
  footer: 'in the footer of',
  dialog: 'in a dialog of',
  body: 'on',
} as const

/** An element as people speak of it: `the button "Start free trial" in the header of "/pricing"`. */
export function elementWords({ kind, words, region, page, selector }: Action): string {
  const name = words === '' ? pageWords(selector) : pageWords(words)
  return `the ${KIND[kind]} ${name} ${REGION[region]} ${pageWords(page, 80)}`
}
