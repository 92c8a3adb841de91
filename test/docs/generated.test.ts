import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readPages, renderPages } from '#docs/generate/render'
import { ruleIds } from '#docs/generate/rule-ids'
import { type JsonSchema, toShape } from '#docs/generate/shape'
import { routes } from '#schemas/routes'

const ROOT = resolve(import.meta.dirname, '../..')
const pages = readPages(ROOT)

test('the generated parts of all pages are fresh: `npm run docs` changes nothing', () => {
  const fresh = renderPages(ROOT)
  const stale = fresh.filter(({ text }, i) => text !== pages[i]?.text).map(({ path }) => path)
  expect(stale).toEqual([])
  const markers = (text: string) => text.match(/^<!-- (table: .*|end) -->$/gm) ?? []
  const all = pages.flatMap(({ text }) => markers(text))
  expect(all.length).toBeGreaterThan(60)
  // A misspelled marker would not be generated, and nobody would see it.
  expect(all.filter(marker => marker === '<!-- end -->').length * 2).toBe(all.length)
})

test('every route is in the routes of exactly one page', () => {
  const documented = pages.flatMap(({ text }) =>
    [...text.matchAll(/^<!-- table: routes (.+) -->$/gm)].flatMap(([, names = '']) => names.split(' ')),
  )
  expect(documented.toSorted()).toEqual(Object.keys(routes).toSorted())
})

test('an id of two rules, and an anchor of another id, are errors', () => {
  const rule = (anchor: string, id: string) => ({
    path: 'a.md',
    text: `<a id="${anchor}"></a>**${id}.** Text.\n`,
  })
  expect(ruleIds([rule('u1', 'U1'), rule('r2', 'R2')]).map(({ id }) => id)).toEqual(['R2', 'U1'])
  expect(() => ruleIds([rule('u1', 'U1'), rule('u1', 'U1')])).toThrow('Two rules have the id U1')
  expect(() => ruleIds([rule('u1', 'U2')])).toThrow('U2 has the anchor u1')
})

test('a shape shows optional fields, choices, lists and schemas that contain themselves', () => {
  const node: JsonSchema = {
    type: 'object',
    properties: {
      name: { type: ['string', 'null'] },
      kind: { enum: ['a', 'b'] },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      children: { type: 'array', items: { $ref: '#/Node' } },
    },
    required: ['name'],
  }
  const resolveNode = (schema: JsonSchema) => (schema.$ref === undefined ? schema : node)
  expect(toShape({ type: 'object', properties: { root: { $ref: '#/Node' } } }, resolveNode)).toBe(
    '{ root?: { name: string | null, kind?: "a" | "b", counts?: { [key]: integer }, children?: [Node] } }',
  )
  expect(toShape(node, resolveNode, ['children', 'counts', 'kind'])).toBe('{ name: string | null }')
})
