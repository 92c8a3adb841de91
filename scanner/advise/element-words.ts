import type { Action } from '#scanner/read/findings'
import { pageWords } from './words-of-page.ts'

const REGION = {
  header: 'in the header of',
  nav: 'in the navigation of',
  main: 'on',
  aside: 'in the side column of',
  footer: 'in the footer of',
  dialog: 'in a dialog of',
  body: 'on',
} as const

/**
 * An element as people speak of it: `the button "Start free trial" in the header of "/pricing"`. Of a form it
 * is the button that submits it.
 */
export function elementWords({ kind, words, region, page, selector, isBareForm }: Action): string {
  const name = words === '' ? pageWords(selector) : pageWords(words)
  const noun = kind === 'form' && !isBareForm ? 'button' : kind
  return `the ${noun} ${name} ${REGION[region]} ${pageWords(page, 80)}`
}
