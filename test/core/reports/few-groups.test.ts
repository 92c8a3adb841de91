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

/** Groups of which some have many events and others many users. */
const SKEWED: { name: string; usersOf(group: number): number; eventsOf(group: number): number }[] = [
  {
    name: 'the groups with the most users have the most events',
    usersOf: group => (group < 10 ? 12 - group : 1),
    eventsOf: group => (group < 10 ? 24 - group : 1),
  },
  {
    name: 'the groups with the most users are not among those with the most events',
    usersOf: group => (group < 65 ? 1 : 3),
    eventsOf: group => (group < 65 ? 4 : 3),
  },
  { name: 'all groups are equal', usersOf: () => 2, eventsOf: () => 2 },
]

test.each(SKEWED)('a query lists the largest of 70 groups when $name', async ({ usersOf, eventsOf }) => {
  const groups = Array.from({ length: 70 }, (_, group) => ({
    name: `plan-${String(group).padStart(2, '0')}`,
    users: usersOf(group),
    events: eventsOf(group),
  }))
  const items = groups.flatMap(({ name, users, events }) =>
    Array.from({ length: events }, (_, i) => ({
      event: 'buy',
      properties: { plan: name },
      user_id: `user-${i % users}`,
      session_id: 's1' as const,
      event_id: null,
      lag: 0,
    })),
  )
  const requests = [{ project: 'proj_a' as const, country: null, file: 0, pause: 0, items }]
  await withReportLake({ epochs: [{ gap: 0, requests }], compacted: 1, mergeEnds: [] }, async lake => {
    const [project] = lake.projects
    if (project === undefined) throw new Error('The lake has no project.')
    const sorted = groups.toSorted((a, b) => b.users - a.users || a.name.localeCompare(b.name))
    const sumOf = (list: typeof groups) => list.reduce((sum, { events }) => sum + events, 0)
    for (const limit of [3, 10]) {
      const body = queryBody.parse({
        project: project.name,
        metrics: ['unique_users', 'event_count', 'session_count'],
        group_by: ['properties.plan'],
        count_mode: 'raw',
        limit,
      })
      const result = await runReport(query, lake.services, { project, body })
      expect(result).toMatchObject({ count: limit + 1, truncated: true, total_rows: 70 })
      expect(result.rows).toEqual([
        ...sorted.slice(0, limit).map(({ name, users, events }) => ({
          'properties.plan': name,
          unique_users: users,
          event_count: events,
          session_count: 1,
        })),
        {
          'properties.plan': null,
          unique_users: null,
          event_count: sumOf(sorted.slice(limit)),
          session_count: null,
          other: true,
        },
      ])
    }
  })
})
