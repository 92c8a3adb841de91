import { expect, test } from 'vitest'
import { readSite } from '#scanner/read/read-site'

function wordsOf(body: string): string[] {
  const url = 'https://words.test/'
  const html = `<title>Words</title><main>${body}</main>`
  const page = { url, finalUrl: url, status: 200, contentType: 'text/html', html, rendered: false }
  return readSite([page]).actions.map(({ words }) => words)
}

test('a keyboard shortcut does not belong to the label of a button', () => {
  expect(wordsOf('<button>Search Ctrl K</button>')).toEqual(['Search'])
  expect(wordsOf('<button aria-label="Search   ⌘+K  "></button>')).toEqual(['Search'])
})

test('of a label with many blanks, the words before them are read', () => {
  const blanks = ' '.repeat(2_000)
  expect(wordsOf(`<button aria-label="Search${blanks}x"></button>`)).toEqual(['Search'])
})
