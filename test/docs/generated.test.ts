import { basename, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readPages, renderPages } from '#docs/generate/render'
import { ruleIds } from '#docs/generate/rule-ids'
import { type JsonSchema, toShape } from '#docs/generate/shape'
import { isMetered, type Route } from '#schemas/route'
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

/** Reads that no question needs: another call answers the same, or nobody asks by hand. */
const WITHOUT_QUESTION = [
  ...['GET /stream', 'GET /account/bot-traffic'],
  ...['POST /journey', 'POST /journey/lookup'],
]

test('the lists of docs/api/ have every page and every read', () => {
  const textOf = (name: string) => pages.find(({ path }) => path.endsWith(`docs/api/${name}`))?.text ?? ''
  const api = pages.filter(({ path }) => path.includes('docs/api/'))
  const unlisted = (list: string, all: typeof api) =>
    all.map(({ path }) => basename(path)).filter(name => !textOf(list).includes(`](${name})`))
  expect(unlisted('README.md', api)).toEqual(['README.md'])
  const reads = Object.entries<Route>(routes).filter(([, route]) => isMetered(route))
  const namesOf = (text: string) => /^<!-- table: routes (.+) -->$/m.exec(text)?.[1]?.split(' ') ?? []
  const ofReads = api.filter(({ text }) => reads.some(([name]) => namesOf(text).includes(name)))
  expect(unlisted('reads.md', ofReads)).toEqual([])
  const isAsked = (call: string) =>
    ['?', ' ', '`', '/'].some(end => textOf('questions.md').includes(`\`${call}${end}`))
  const calls = reads.map(([, { method, path }]) => `${method} ${path.replace(/[/][{].*/, '')}`)
  expect(calls.filter(call => !isAsked(call) && !WITHOUT_QUESTION.includes(call))).toEqual([])
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
