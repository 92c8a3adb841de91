import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STYLE } from '#lambdas/http/page-style'

/** The pages without script and the dashboard are one product to who sees both. */

function styleOf(file: string): string {
  return readFileSync(new URL(`../../../dashboard/styles/${file}`, import.meta.url), 'utf8')
}

/** The custom properties of a block, with short colours spelt in full. */
function coloursOf(block: string): Record<string, string> {
  const found = block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{3,6})\b/gi)
  return Object.fromEntries(
    [...found].map(([, name, value = '']) => [
      name,
      (value.length === 4 ? value.replace(/[0-9a-f]/gi, '$&$&') : value).toLowerCase(),
    ]),
  )
}

const [light = '', dark = ''] = [...STYLE.matchAll(/:root\{[^}]*\}/g)].map(([block]) => block)

test.each([
  ['light', light, 'base.css'],
  ['dark', dark, 'dark.css'],
])('the %s colours of the pages are those of the dashboard', (_, block, file) => {
  const own = coloursOf(block)
  expect(Object.keys(own).length).toBeGreaterThan(8)
  expect(coloursOf(styleOf(file))).toMatchObject(own)
})

test('every colour that the pages use is one of them, in both schemes', () => {
  const used = new Set([...STYLE.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name))
  for (const block of [light, dark]) expect(Object.keys(coloursOf(block)).sort()).toEqual([...used].sort())
})

test('the pages have the typeface of the dashboard', () => {
  const familyOf = (style: string) =>
    /ui-sans-serif,[^;}]*?sans-serif(?=[;}])/.exec(style)?.[0].replace(/\s+/g, '')
  expect(familyOf(STYLE)).toBeDefined()
  expect(familyOf(STYLE)).toBe(familyOf(styleOf('base.css')))
})
