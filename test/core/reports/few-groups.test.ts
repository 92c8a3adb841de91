import { expect, test } from 'vitest'
import { breakdown } from '#core/reports/breakdown'
import { query } from '#core/reports/query/query'
import { runReport } from '#core/reports/run/run'
import { queryBody } from '#schemas/query'
import { withReportLake } from '#test/support/report-lake'

const METRICS = ['event_count', 'session_count', 'unique_users']

test.each([
  ['as many as one pass counts', 61],
  ['one more than one pass counts', 62],
])('the groups of a query and of a breakdown have the same counts when they are %s', async (_, size) => {
  const event = (value: number, user_id: string | null, session_id: 's1' | null) => ({
    event: 'buy',
    properties: { plan: `plan-${value}` },
    user_id,
    session_id,
    event_id: null,
    lag: 0,
  })
  // A group: a session of two events, a user who also has events without a session, another without any, and
  // an event of nobody.
  const items = Array.from({ length: size }, (_, i) => [
    event(i, 'ann', 's1'),
    event(i, 'ann', 's1'),
    event(i, 'ann', null),
    event(i, 'bob', null),
    event(i, null, null),
  ]).flat()
  const requests = [{ project: 'proj_a' as const, country: null, file: 0, pause: 0, items }]
  await withReportLake({ epochs: [{ gap: 0, requests }], compacted: 1, mergeEnds: [] }, async lake => {
    const [project] = lake.projects
    if (project === undefined) throw new Error('The lake has no project.')
    const runQuery = (metrics: string[], limit: number) => {
      const group_by = ['properties.plan']
      const body = queryBody.parse({ project: project.name, metrics, group_by, limit })
      return runReport(query, lake.services, { project, body })
    }
    const { rows } = await runQuery(METRICS, 1_000)
    const names = Array.from({ length: size }, (_, i) => `plan-${i}`).toSorted()
    expect(rows).toEqual(
      names.map(name => ({ 'properties.plan': name, event_count: 3, session_count: 1, unique_users: 2 })),
    )
    const listed = await runReport(breakdown, lake.services, {
      project,
      query: { property: 'plan', limit: 1_000 },
    })
    expect(listed.values).toEqual(names.map(value => ({ value, count: 5, unique_users: 2 })))

    // The row for the groups that are not shown has no sum, because none of their values is a number.
    const other = { 'properties.plan': null, event_count: 3 * (size - 60), other: true }
    expect((await runQuery(['event_count'], 60)).rows.at(-1)).toEqual(other)
    const noNumber = 'sum(properties.plan)'
    expect((await runQuery(['event_count', noNumber], 60)).rows.at(-1)).toEqual({
      ...other,
      [noNumber]: null,
    })
  })
})
