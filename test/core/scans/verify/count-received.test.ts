import { expect, test } from 'vitest'
import { runReport } from '#core/reports/run/run'
import { receivedSince } from '#core/scans/verify/count-received'
import { DAY_MS } from '#core/time'
import { NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

/** An event `ago` ms before the last one. */
function sent(
  event: string,
  session_id: 's1' | 's2' | 's3' | null,
  ago: number,
  properties: Record<string, unknown> = {},
) {
  return { event, properties, user_id: 'u1', session_id, event_id: null, lag: ago }
}

test('a property that has a column of its own is counted too', async () => {
  const items = [
    sent('opened', 's1', 60_000, { path: '/a' }),
    sent('opened', 's1', 50_000, { path: '/b', plan: 'pro' }),
    sent('opened', 's1', 40_000),
  ]
  const requests = [{ project: 'proj_a' as const, country: null, file: 0, pause: 0, items }]
  await withReportLake({ epochs: [{ gap: 0, requests }], compacted: 1, mergeEnds: [] }, async lake => {
    const [project] = lake.projects
    if (project === undefined) throw new Error('The lake has no project.')
    const query = { startedAt: NOW - DAY_MS, planned: ['opened'], properties: ['path', 'plan', 'country'] }
    const { events } = await runReport(receivedSince, lake.services, { project, query })
    expect(events[0]?.properties).toEqual({ path: 2, plan: 1, country: 0 })
  })
})

test('events are counted with their properties, repeats and what follows a page view at once', async () => {
  const items = [
    sent('page_view', 's1', 60_000),
    // Within two seconds after a page view, and twice.
    sent('signup_started', 's1', 59_000, { plan: 'pro', path: '/a', place: 'header' }),
    sent('signup_started', 's1', 58_500, { plan: null, path: '/a', place: 'header' }),
    // Much later in the session, and without the property.
    sent('signup_started', 's1', 10_000),
    sent('page_view', 's2', 60_000),
    sent('checkout', 's2', 59_900),
    // A session of its own has no page view before it, and no session is no session.
    sent('checkout', 's3', 59_900),
    sent('checkout', null, 59_900),
    sent('checkout', null, 59_800),
    // Before the analysis.
    sent('checkout', 's2', 5 * DAY_MS),
  ]
  const requests = [{ project: 'proj_a' as const, country: null, file: 0, pause: 0, items }]
  for (const compacted of [0, 1]) {
    await withReportLake({ epochs: [{ gap: 0, requests }], compacted, mergeEnds: [] }, async lake => {
      const [project] = lake.projects
      if (project === undefined) throw new Error('The lake has no project.')
      const query = { startedAt: NOW - DAY_MS, planned: ['signup_started'], properties: ['plan', 'source'] }
      const received = await runReport(receivedSince, lake.services, { project, query })
      const common = { is_used: null }
      expect(received).toEqual({
        page_views: 2,
        events: [
          {
            ...common,
            event: 'checkout',
            count: 4,
            last_seen_at: NOW - 59_800,
            // Only the recommended events are looked into.
            from: [{ page: null, place: null, count: 4 }],
            properties: { plan: 0, source: 0 },
            after_page_view: 1,
            repeats: 0,
          },
          {
            ...common,
            event: 'signup_started',
            count: 3,
            last_seen_at: NOW - 10_000,
            from: [
              { page: '/a', place: 'header', count: 2 },
              { page: null, place: null, count: 1 },
            ],
            properties: { plan: 1, source: 0 },
            after_page_view: 1,
            repeats: 1,
          },
          {
            ...common,
            event: 'page_view',
            count: 2,
            last_seen_at: NOW - 60_000,
            from: [{ page: null, place: null, count: 2 }],
            properties: { plan: 0, source: 0 },
            after_page_view: 0,
            repeats: 0,
          },
        ],
      })
      const nothing = { startedAt: NOW - DAY_MS, planned: ['x'], properties: [] }
      expect(
        (await runReport(receivedSince, lake.services, { project, query: nothing })).events,
      ).toHaveLength(3)
    })
  }
})

test('of a planned event the five pages and places that send it most are named, of another one none', async () => {
  const items = Array.from({ length: 28 }, (_, i) => {
    const page = `/${Math.floor(Math.sqrt(i))}`
    return [
      sent('opened', 's1', 60_000 - 100 * i, { path: page }),
      sent('other', 's2', 60_000, { path: page }),
    ]
  }).flat()
  const requests = [{ project: 'proj_a' as const, country: null, file: 0, pause: 0, items }]
  await withReportLake({ epochs: [{ gap: 0, requests }], compacted: 1, mergeEnds: [] }, async lake => {
    const [project] = lake.projects
    if (project === undefined) throw new Error('The lake has no project.')
    const query = { startedAt: NOW - DAY_MS, planned: ['opened'], properties: [] }
    const { events } = await runReport(receivedSince, lake.services, { project, query })
    expect(
      events.map(({ event, count, from }) => [event, count, from.map(({ page, count: n }) => [page, n])]),
    ).toEqual([
      [
        'opened',
        28,
        [
          ['/4', 9],
          ['/3', 7],
          ['/2', 5],
          ['/1', 3],
          ['/5', 3],
        ],
      ],
      ['other', 28, [[null, 28]]],
    ])
  })
})
