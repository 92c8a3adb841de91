import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { definitions } from '#dashboard/definitions'
import { anchorsOf } from '#test/docs/anchors'

test('the page of numbers has the section that each number of the dashboard names', () => {
  const page = readFileSync(new URL('../../docs/api/numbers.md', import.meta.url), 'utf8')
  const sections = anchorsOf(page)
  expect(Object.values(definitions).filter(({ more }) => !sections.includes(more))).toEqual([])
})
