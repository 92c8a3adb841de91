import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Block } from '#cli/print/blocks'
import { csvText, sheetsOf } from '#cli/print/csv'
import { changeWords, formatted } from '#cli/print/format'
import { picked, safeJson } from '#cli/print/json'
import { terminalText } from '#cli/print/terminal'
import { widthOf, wrapped } from '#cli/print/width'

const ESCAPE = '\u001b'
const cell = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer(), fc.constant(null))
const row = fc.record({
  a: cell,
  b: cell,
  n: fc.integer({ min: 0, max: 1e9 }),
  t: fc.integer({ min: 0, max: 4e12 }),
})
const columns = [
  { key: 'a', title: 'First' },
  { key: 'n', title: 'Count', as: 'count' },
  { key: 't', title: 'Time', as: 'time' },
  { key: 'b', title: 'Second' },
] as const
const node = fc.record({ label: fc.string({ unit: 'grapheme' }), detail: fc.string({ maxLength: 12 }) })

const blocksOf = (rows: Record<string, unknown>[], nodes: { label: string; detail: string }[]): Block[] => [
  { kind: 'heading', text: String(rows[0]?.a ?? 'none') },
  { kind: 'table', name: 'rows', title: 'Rows', columns, rows },
  { kind: 'bars', name: 'bars', label: columns[0], value: columns[1], rows },
  { kind: 'facts', facts: [['A fact with a long name', rows[0]?.b as string]] },
  { kind: 'spark', label: 'Course', values: rows.map(({ n }) => n as number) },
  {
    kind: 'tree',
    nodes: nodes.map(each => ({ ...each, children: nodes.map(child => ({ ...child, children: [] })) })),
  },
  {
    kind: 'grid',
    name: 'grid',
    corner: 'Day',
    columns: Array.from({ length: 24 }, (_, hour) => String(hour)),
    rows: rows.map(({ a, n }) => ({
      label: String(a),
      cells: Array.from({ length: 24 }, () => n as number),
    })),
    cells: 'shade',
  },
]

const HOSTILE = '\u001b]0;x\u0007\u009b2J\r\n\u202e\u2028\t'

test.each<Block>([
  ...(['heading', 'line', 'advice'] as const).map(kind => ({ kind, text: HOSTILE })),
  {
    kind: 'facts',
    facts: [
      [HOSTILE, HOSTILE],
      [HOSTILE, HOSTILE, 'address'],
      [HOSTILE, { a: HOSTILE }, 'own'],
    ],
  },
  { kind: 'spark', label: HOSTILE, values: [1] },
  {
    ...{ kind: 'tree', title: HOSTILE },
    nodes: [
      { label: HOSTILE, detail: HOSTILE, children: [{ label: HOSTILE, detail: HOSTILE, children: [] }] },
    ],
  },
  { kind: 'source', title: HOSTILE, text: HOSTILE },
  { kind: 'diff', text: HOSTILE },
  {
    ...{ kind: 'table', name: HOSTILE, title: HOSTILE },
    ...{ columns: [{ key: HOSTILE, title: HOSTILE }], rows: [{ [HOSTILE]: HOSTILE }] },
  },
  { kind: 'table', name: HOSTILE, columns: [{ key: HOSTILE, title: HOSTILE }], rows: [], none: HOSTILE },
  {
    ...{ kind: 'bars', name: HOSTILE, title: HOSTILE, rows: [{ [HOSTILE]: HOSTILE }] },
    ...{ label: { key: HOSTILE, title: HOSTILE }, value: { key: HOSTILE, title: HOSTILE } },
  },
  {
    ...{ kind: 'grid', name: HOSTILE, corner: HOSTILE, columns: [HOSTILE], cells: 'rate' },
    rows: [{ label: HOSTILE, cells: [1] }],
  },
])('no text of a block changes the terminal or a file: $kind', block => {
  const sheets = sheetsOf([block]).map(csvText)
  for (const text of [terminalText([block], { width: 40, hasColor: false }), ...sheets])
    expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}]/u)
})

test('JSON of a service becomes JSON without characters that change the terminal', () => {
  const json = `{"a":\r${JSON.stringify(HOSTILE)},\r\n"b":1}`
  expect(safeJson(json)).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}]/u)
  expect(JSON.parse(safeJson(json))).toEqual({ a: HOSTILE, b: 1 })
})

test('no line is wider than the terminal, and none has a control character, whatever strangers write', () => {
  fc.assert(
    fc.property(
      fc.array(row, { maxLength: 4 }),
      fc.array(node, { maxLength: 3 }),
      fc.integer({ min: 40, max: 200 }),
      (rows, nodes, width) => {
        const lines = terminalText(blocksOf(rows, nodes), { width, hasColor: false }).split('\n')
        expect(lines.filter(line => widthOf(line) > width)).toEqual([])
        expect(lines.filter(line => /[\p{Cc}\p{Cf}]/u.test(line))).toEqual([])
      },
    ),
  )
})

test('a table that is too wide loses its last columns, says which, and keeps numbers whole', () => {
  const rows = [{ a: 'a long text in the first column', b: 'another', n: 1_234_567, t: 0 }]
  const text = terminalText([{ kind: 'table', name: 'rows', columns, rows }], { width: 40, hasColor: false })
  expect(text).toContain('1,234,567')
  expect(text).toContain('(too narrow for t, b)')
  expect(text).toContain('…')
})

test('text of strangers shows its control, bidi and zero-width characters as escapes', () => {
  const evil = `${ESCAPE}[2Jsign\u202eup\u200b`
  for (const hasColor of [true, false]) {
    const text = terminalText([{ kind: 'line', text: evil }], { width: 80, hasColor })
    expect(text).toBe('\\u{1b}[2Jsign\\u{202e}up\\u{200b}')
  }
})

test('colours come only when they are asked for', () => {
  const heading: Block[] = [{ kind: 'heading', text: 'demo' }]
  expect(terminalText(heading, { width: 80, hasColor: false })).toBe('demo')
  expect(terminalText(heading, { width: 80, hasColor: true })).toBe(`${ESCAPE}[1mdemo${ESCAPE}[22m`)
})

test('wide characters count as two columns', () => {
  const rows = [{ a: '日本語のページ'.repeat(5), n: 1, t: 0, b: '' }]
  const text = terminalText([{ kind: 'table', name: 'rows', columns, rows }], { width: 60, hasColor: false })
  for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60)
})

test('wrapped words come back whole', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 8, max: 80 }), (text, width) => {
      const lines = wrapped(text, width)
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
    }),
  )
})

describe('values', () => {
  test.each([
    [0, 'duration', '0 ms'],
    [61_000, 'duration', '1m 1s'],
    [90_061_000, 'duration', '1d 1h'],
    [0.1234, 'rate', '12.3 %'],
    [12.5, 'percent', '12.5 %'],
    [1_234_567.891, 'number', '1,234,567.891'],
    [0, 'time', '1970-01-01 00:00:00'],
    [null, 'count', '-'],
    ['', 'text', '-'],
  ] as const)('%j as %s is %s', (value, as, shown) => {
    expect(formatted(value, as)).toBe(shown)
  })

  test.each([
    [5, 10, '▲ up 10 %'],
    [-5, -10, '▼ down 10 %'],
    [0, 0, '= same'],
    [5, null, '▲ up from 0'],
    [1, 0, '▲ up, under 1 %'],
    [12_000, 'new', '▲ up, new'],
  ] as const)('a change of %d, %d %% is a word too', (change, pct, words) => {
    expect(changeWords(change, pct)).toBe(words)
  })
})

test('CSV quotes what needs it, and disarms formulas', () => {
  const rows = [
    { a: 'x, "y"', n: 1, t: -2, b: null },
    { a: '=HYPERLINK("http://evil")', n: 2, t: 0, b: '-5' },
  ]
  expect(csvText({ columns, rows })).toBe('a,n,t,b\n"x, ""y""",1,-2,\n"\'=HYPERLINK(""http://evil"")",2,0,-5')
})

test('JSON keeps its data, and has no character that changes a terminal', () => {
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, text) => {
      const value = [JSON.parse(json), text]
      const safe = safeJson(JSON.stringify(value))
      expect(JSON.parse(safe)).toEqual(value)
      expect(safe).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    }),
    { numRuns: 30 },
  )
})

test('fields of JSON are chosen by dotted names, through lists', () => {
  const value = {
    a: { b: 1, c: 2 },
    list: [
      { x: 1, y: 2 },
      { x: 3, y: 4 },
    ],
    empty: [],
  }
  expect(picked(value, ['a.b'])).toEqual({ a: { b: 1 } })
  expect(picked(value, ['list.x', 'a'])).toEqual({ list: [{ x: 1 }, { x: 3 }], a: { b: 1, c: 2 } })
  expect(picked(value, ['list.x', 'list.y'])).toEqual({ list: value.list })
  expect(picked(value, ['empty.x'])).toEqual({ empty: [] })
  for (const wrong of ['z', 'list.z', 'a.b.c', '__proto__', 'constructor'])
    expect(picked(value, [wrong])).toBeNull()
})
