import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FEWEST_PEOPLE } from '#core/reports/few-people/fold-groups'
import { queryForLinks } from '#core/reports/few-people/query'
import type { QueryParams } from '#core/reports/query/params'
import { runReport } from '#core/reports/run/run'
import { SINGLE_OPS } from '#schemas/conditions'
import { testProject } from '#test/support/account-fixtures'
import { propertySettings } from '#test/support/depth'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { matches } from '#test/support/oracle/matches'
import { recordOf } from '#test/support/record-of'

/** Two answers of a share link, of which one counts a part of the other, differ by five people or nobody. */

const NOW = Date.UTC(2026, 10, 21, 12)
const DATES = ['2026-11-17', '2026-11-18', '2026-11-19']
const RANGE = { date_from: '2026-11-17', date_to: '2026-11-19' }
const SUM = 'sum(properties.v)'

type Sent = { person: number; date: string; p?: string | number; q?: string; v?: number }
type Filter = {
  field: 'properties.p' | 'properties.q'
  op: (typeof SINGLE_OPS)[number]
  value: string | number
}
type Question = { filters: readonly Filter[]; group_by: readonly string[] }
/** Events by which a row's number is made. */
type Part = { question: Question; key: string; events: ReadonlySet<Sent> }

let folder: FolderLake
beforeAll(async () => {
  folder = await openFolderLake()
}, 60_000)
afterAll(() => folder.close())

const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
const VALUES = ['a', 'b', 'ab', 3, 40] as const

const sent = fc.record(
  {
    person: fc.nat(17),
    // Most events are of two values, so that some groups have many people and some have few.
    p: fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', 'b') }, fc.constantFrom(...VALUES)),
    q: fc.oneof({ weight: 5, arbitrary: fc.constant('x') }, fc.constantFrom('y', 'z')),
    v: fc.nat(99),
    date: fc.constantFrom(...DATES),
  },
  { requiredKeys: ['person', 'date'] },
)
const filterOf = (field: Filter['field'], values: readonly (string | number)[]) =>
  fc.record({
    field: fc.constant(field),
    op: fc.constantFrom(...SINGLE_OPS),
    value: fc.constantFrom(...values),
  })
const ofP = filterOf('properties.p', VALUES)
const ofQ = filterOf('properties.q', ['x', 'y', 'z'])
const question = fc.record({
  filters: fc.oneof(fc.array(ofP, { minLength: 1, maxLength: 2 }), fc.tuple(ofP, ofQ)),
  group_by: fc.constantFrom<string[]>([], [], ['properties.p'], ['date']),
})

const fieldOf = (event: Sent, field: string) =>
  field === 'date' ? event.date : event[field.replace('properties.', '') as 'p' | 'q']

/** Whose sums the shown numbers are: a part for each row with a number in the column. */
function partsOf(events: readonly Sent[], asked: Question, rows: Record<string, unknown>[], column: string) {
  const keyOf = (event: Sent) => asked.group_by.map(field => String(fieldOf(event, field) ?? null)).join()
  const counted = events.filter(
    event =>
      (column !== SUM || event.v !== undefined) &&
      asked.filters.every(({ field, op, value }) => matches(fieldOf(event, field), op, value)),
  )
  const named = rows.filter(row => row.other !== true)
  const keyOfRow = (row: Record<string, unknown>) => asked.group_by.map(field => String(row[field])).join()
  const shownKeys = new Set(named.map(keyOfRow))
  return rows.flatMap((row): Part[] => {
    const number = row[column]
    if (typeof number !== 'number') return []
    const own = counted.filter(event =>
      row.other === true ? !shownKeys.has(keyOf(event)) : keyOf(event) === keyOfRow(row),
    )
    const expected = column === SUM ? own.reduce((sum, { v = 0 }) => sum + v, 0) : own.length
    // An answer about nobody says nothing of what it was asked.
    if (number !== expected) {
      expect(number).toBe(0)
      return []
    }
    return [{ question: asked, key: row.other === true ? 'other' : keyOfRow(row), events: new Set(own) }]
  })
}

function isSubset<T>(part: ReadonlySet<T>, whole: ReadonlySet<T>): boolean {
  return [...part].every(each => whole.has(each))
}

/** Whether the answers are among those that docs/api/dashboard.md compares. */
function areCompared(one: Part, other: Part): boolean {
  const isOfP = ({ question: { filters, group_by } }: Part) =>
    [...filters.map(({ field }) => field), ...group_by].every(field => field === 'properties.p')
  if (isOfP(one) && isOfP(other)) return true
  // The same row with more filters.
  const has = (filters: readonly Filter[]) => new Set(filters.map(each => JSON.stringify(each)))
  const fewer = has(one.question.filters)
  return (
    one.key === other.key &&
    one.key !== 'other' &&
    String(one.question.group_by) === String(other.question.group_by) &&
    isSubset(fewer, has(other.question.filters))
  )
}

test('two answers of which one is a part of the other differ by five people or nobody', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { minLength: 40, maxLength: 90 }),
      fc.array(question, { minLength: 12, maxLength: 16 }),
      async (events, random) => {
        const record = recordOf(
          project,
          events.map(({ person, date, ...properties }) => ({
            ...{ event: 'e', user_id: `u${person}`, timestamp: Date.parse(date) + person * 1_000 },
            properties,
          })),
        )
        const { openLake } = await folder.build({ epochs: [[[record]]], compacted: 1 })
        const services = { engine: folder.engine, openLake, clock: { now: () => NOW } }
        const plain = random.flatMap(({ filters, group_by }) => [
          { filters, group_by },
          ...filters.map(each => ({ filters: [each], group_by })),
        ])
        const asked: Question[] = [
          ...[[], ['properties.p'], ['date']].map(group_by => ({ filters: [], group_by })),
          ...new Map(plain.map(each => [JSON.stringify(each), each])).values(),
        ]
        const byColumn: Record<string, Part[]> = { event_count: [], [SUM]: [] }
        for (const { filters, group_by } of asked) {
          const body: QueryParams = {
            ...{ metrics: ['event_count', SUM], count_mode: 'raw', order: 'desc', limit: 100 },
            ...{ ...RANGE, filters: [...filters], group_by: [...group_by] },
          }
          const { rows } = await runReport(queryForLinks, services, { project, body })
          for (const [column, parts] of Object.entries(byColumn)) {
            parts.push(...partsOf(events, { filters, group_by }, rows, column))
          }
        }
        for (const parts of Object.values(byColumn)) {
          for (const one of parts) {
            for (const other of parts) {
              if (!areCompared(one, other) || !isSubset(other.events, one.events)) continue
              const rest = [...one.events].filter(event => !other.events.has(event))
              const people = new Set(rest.map(({ person }) => person)).size
              compared += rest.length > 0 ? 1 : 0
              if (rest.length > 0 && people < FEWEST_PEOPLE && other.events.size > 0) {
                expect.fail(
                  `${people} people: ${JSON.stringify([one.question, one.key, other.question, other.key])}`,
                )
              }
            }
          }
        }
      },
    ),
    { ...propertySettings(2, { countPerDepth: 3 }), endOnFailure: true },
  )
  // The questions are not so narrow that nothing is answered.
  expect(compared).toBeGreaterThan(20)
}, 600_000)
