import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPages } from '#docs/generate/render'

/**
 * The generated table of an endpoint states the bound of each field. A sentence that repeats it is a second
 * place to keep right, so it links to the table or says only what the table does not.
 */

const GENERATED = /^<!-- table: .*-->\n[\s\S]*?^<!-- end -->$/gm
const PARAMETERS = /^<!-- table: parameters .*-->\n[\s\S]*?^<!-- end -->$/gm
const BOUND =
  /text of \d+ to (\d+) characters|number, [\d.]+ to (\d+)|a list of \d+ to (\d+)|at most (\d+) bytes/
/** A smaller number also stands in sentences that are about something else, such as `0` and `1`. */
const SMALLEST = 8

type Bound = { field: string; most: number }

function boundsIn(text: string): Bound[] {
  return [...text.matchAll(PARAMETERS)].flatMap(([table]) =>
    [...table.matchAll(/^\| `(\w+)` \|.*$/gm)].flatMap(([row, field = '']) => {
      const most = Number(BOUND.exec(row)?.slice(1).find(Boolean) ?? 0)
      return most >= SMALLEST ? [{ field, most }] : []
    }),
  )
}

/** The sentences outside generated parts and code. */
function sentencesIn(text: string): string[] {
  const prose = text.replaceAll(GENERATED, '').replaceAll(/^ {4,}.*$/gm, '')
  return prose
    .split(/(?<=[.:])\s+(?=[A-Z`*<])|\n\n|\n(?=[-|#])/)
    .map(sentence => sentence.replaceAll(/\s+/g, ' ').trim())
}

function repetitionsIn(text: string): string[] {
  const bounds = boundsIn(text)
  return sentencesIn(text).filter(sentence => {
    const numbers = [...sentence.matchAll(/(?<![\w.])(\d[\d,]*)( KB)?(?!\w)/g)].map(
      ([, digits = '', kilo]) => Number(digits.replaceAll(',', '')) * (kilo ? 1_024 : 1),
    )
    return bounds.some(({ field, most }) => sentence.includes(`\`${field}\``) && numbers.includes(most))
  })
}

const pages = readPages(resolve(import.meta.dirname, '../..')).filter(({ path }) =>
  path.startsWith('docs/api/'),
)

test('the tables have bounds, and a sentence that repeats one is found', () => {
  expect(pages.flatMap(({ text }) => boundsIn(text)).length).toBeGreaterThan(40)
  const table =
    '<!-- table: parameters track -->\n| field | default | meaning |\n| --- | --- | --- |\n| `name` |  | text of 1 to 8192 characters |\n<!-- end -->\n'
  for (const sentence of [
    '`name` has 8192 characters.',
    'A `name` over 8 KB is an error.',
    '- `name`: 8,192.',
  ])
    expect(repetitionsIn(`${table}\n${sentence}\n`)).toEqual([sentence])
  for (const sentence of ['`name` has characters.', 'A title over 8 KB is an error.', '`name` has 81,920.'])
    expect(repetitionsIn(`${table}\n${sentence}\n`)).toEqual([])
})

describe.each(pages)('$path', ({ text }) => {
  test('states the bound of each field once, in its table', () => {
    expect(repetitionsIn(text)).toEqual([])
  })
})
