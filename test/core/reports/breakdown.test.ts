import { expect, test } from 'vitest'
import { breakdown } from '#core/reports/breakdown'
import { runReport } from '#core/reports/run/run'
import { oracleBreakdown } from '#test/support/oracle/properties'
import { NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

/** Values of different types with the same text stand together. */
const VALUES: unknown[] = [
  ...['free', 'free', '', ' ', 'null', null],
  ...['5', 5, '-7', -7, '0', 0, '12345678901234', 12345678901234],
  ...['0.5', 0.5, '-0.25', -0.25, '12345678.5', 12345678.5, '1e+300', 1e300, '1e-7', 1e-7, '1e+21', 1e21],
  ...['true', true, 'false', false],
  ...['[]', [], '{}', {}, '[1,"a\\"b"]', [1, 'a"b'], '{"a":{"b":"\\n\\\\"}}', { a: { b: '\n\\' } }],
  ...['"', '"5"', '"free"', 'a"b', 'a\\', '\\"', '\n\t\b\f\r', '\u0001\u001f\u007f', 'a\u0000b'],
  ...['é', '\u{1F600}', '\u2028', '\uFEFFa', "o'brien", '%', 'plan', '"plan"', '{"plan":"x"}'],
]
/** A key that is in the JSON, one that is too long for a search in the JSON, and one with a column. */
const KEYS = ['plan', 'k'.repeat(128), 'path']

const FILTERS = [{ limit: 1_000 }, { limit: 5, event: 'buy' }]

test('values with the same text are one value, with the users of all of them', async () => {
  const event = (properties: Record<string, unknown>, i: number, k: number) => ({
    event: k === 0 ? 'buy' : 'page_view',
    properties,
    user_id: k === 2 ? null : `u${(i + k) % 7}`,
    session_id: null,
    event_id: null,
    lag: 0,
  })
  const items = [
    ...VALUES.flatMap((value, i) =>
      [0, 1, 2].map(k => event(Object.fromEntries(KEYS.map(key => [key, value])), i, k)),
    ),
    ...[{ plan2: 'x' }, { other: 'plan' }, { nested: { plan: 'x' } }].map((other, i) => event(other, i, 0)),
  ]
  const requests = [{ project: 'proj_a' as const, country: null, file: 0, pause: 0, items }]
  await withReportLake({ epochs: [{ gap: 0, requests }], compacted: 2, mergeEnds: [] }, async lake => {
    const [project] = lake.projects
    if (project === undefined) throw new Error('The lake has no project.')
    const asked = { project: project.id, since: '7d', now: NOW, tz: 'UTC' }
    for (const areScansBilled of [false, true]) {
      const services = { ...lake.services, engine: { ...lake.services.engine, areScansBilled } }
      for (const property of KEYS) {
        for (const filter of FILTERS.map(each => ({ ...each, property }))) {
          const body = await runReport(breakdown, services, {
            project,
            query: { ...filter, since: '7d', tz: 'UTC' },
          })
          expect(body, JSON.stringify({ ...filter, areScansBilled })).toEqual(
            oracleBreakdown(lake.events, asked, filter),
          )
        }
      }
    }
  })
})
