import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import type { BotCount } from '#core/usage/counters'
import { routes } from '#schemas/routes'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'

/** Today is 2026-11-21. */
let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

let checkpoint = 0
async function addBots(project: Pick<Project, 'id'>, ...counts: Partial<BotCount>[]) {
  checkpoint += 1
  const base = { category: 'ai_agent', actor: 'GPTBot', requests: 1, dropped: 1, rules_version: '1' }
  await service.usage.addBots(
    's',
    String(checkpoint),
    counts.map(count => ({
      ...base,
      project_id: project.id,
      day: '2026-11-21',
      quarter: 40,
      last_seen_at: NOW,
      ...count,
    })),
  )
}

describe('GET /bot-traffic', () => {
  test('shows a project without bots as zeros, with each date of the period', async () => {
    const { name } = await service.createProject()
    const { status, body, headers } = await service.call(routes.botTraffic, { query: { project: name } })
    const zero = { current: 0, previous: 0, change: 0, change_pct: 0 }
    expect(status).toBe(200)
    expect(body).toEqual({
      scope: 'project',
      project: name,
      period: {
        label: '7d',
        from: '2026-11-15',
        to: '2026-11-21',
        days: 7,
        running: true,
        previous_from: '2026-11-08',
        previous_to: '2026-11-14',
      },
      summary: { automated_requests: zero, dropped_events: zero, last_seen_at: null },
      categories: [],
      actors: [],
      purposes: [],
      time_series: [15, 16, 17, 18, 19, 20, 21].map(day => ({
        date: `2026-11-${day}`,
        requests: 0,
        dropped_events: 0,
      })),
      rules_version: null,
    })
    expect(headers.get('X-Footfall-Receipt')).toContain('engine=null')
  })

  test('keeps one category in all of its numbers, and says what crawlers are for', async () => {
    const project = await service.createProject()
    await addBots(
      project,
      { requests: 3, dropped: 30, purpose: 'train' },
      { actor: 'ChatGPT-User', requests: 1, dropped: 1, purpose: 'fetch' },
      { actor: 'Googlebot', category: 'search_crawler', requests: 4, dropped: 4, purpose: 'index' },
      { actor: 'curl', category: 'automation_script', requests: 2, dropped: 2 },
      { requests: 5, dropped: 5, day: '2026-11-14' },
    )
    const read = async (query: Record<string, string> = {}) =>
      (await service.call(routes.botTraffic, { query: { project: project.name, ...query } })).body
    expect(await read()).toMatchObject({
      summary: { automated_requests: { current: 10, previous: 5 } },
      purposes: [
        { purpose: 'train', requests: 3, dropped_events: 30, share_pct: 30 },
        { purpose: 'index', requests: 4, dropped_events: 4, share_pct: 40 },
        { purpose: 'fetch', requests: 1, dropped_events: 1, share_pct: 10 },
      ],
      actors: [
        { actor: 'Googlebot', purpose: 'index' },
        { actor: 'GPTBot', purpose: 'train' },
        { actor: 'curl', purpose: null },
        { actor: 'ChatGPT-User', purpose: 'fetch' },
      ],
    })
    expect(await read({ category: 'ai_agent' })).toMatchObject({
      summary: { automated_requests: { current: 4, previous: 5 }, dropped_events: { current: 31 } },
      categories: [{ category: 'ai_agent', requests: 4, share_pct: 100 }],
      actors: [{ actor: 'GPTBot' }, { actor: 'ChatGPT-User' }],
      purposes: [{ purpose: 'train' }, { purpose: 'fetch' }],
    })
    expect(await read({ category: 'seo_research' })).toMatchObject({ actors: [], purposes: [] })
    const all = await service.call(routes.accountBotTraffic, { query: { category: 'automation_script' } })
    expect(all.body.categories).toMatchObject([{ category: 'automation_script' }])
    for (const route of [routes.botTraffic, routes.accountBotTraffic]) {
      const wrong = await service.call(route, { query: { project: project.name, category: 'robots' } })
      expect(wrong).toMatchObject({ status: 400, body: { error: 'MISSING_FIELDS' } })
      expect(wrong.body.message).toContain('ai_agent')
    }
  })

  test('compares the period with the one before it, by category and actor', async () => {
    const project = await service.createProject()
    await addBots(
      project,
      { requests: 3, dropped: 30, last_seen_at: NOW - 5_000 },
      { actor: 'Googlebot', category: 'search_crawler', requests: 5, dropped: 5, last_seen_at: NOW - 9_000 },
      { actor: 'ClaudeBot', requests: 3, dropped: 4, day: '2026-11-15', last_seen_at: NOW - 6 * 86_400_000 },
      { requests: 2, dropped: 2, day: '2026-11-14', last_seen_at: NOW - 7 * 86_400_000 },
      { requests: 90, dropped: 90, day: '2026-11-07', last_seen_at: NOW - 14 * 86_400_000 },
    )
    await addBots(project, { requests: 1, dropped: 1, rules_version: '2', last_seen_at: NOW - 4_000 })
    const { body } = await service.call(routes.botTraffic, { query: { project: project.id, tz: 'UTC' } })
    expect(body).toMatchObject({
      period: { tz: 'UTC' },
      summary: {
        automated_requests: { current: 12, previous: 2, change: 10, change_pct: 500 },
        dropped_events: { current: 40, previous: 2, change: 38, change_pct: 1_900 },
        last_seen_at: NOW - 4_000,
      },
      categories: [
        { category: 'ai_agent', requests: 7, dropped_events: 35, share_pct: 58.3 },
        { category: 'search_crawler', requests: 5, dropped_events: 5, share_pct: 41.7 },
      ],
      actors: [
        {
          actor: 'Googlebot',
          category: 'search_crawler',
          requests: 5,
          dropped_events: 5,
          last_seen_at: NOW - 9_000,
        },
        { actor: 'GPTBot', category: 'ai_agent', requests: 4, dropped_events: 31, last_seen_at: NOW - 4_000 },
        { actor: 'ClaudeBot', requests: 3 },
      ],
      rules_version: '2',
    })
    expect((body.time_series as { requests: number }[]).map(({ requests }) => requests)).toEqual([
      3, 0, 0, 0, 0, 0, 9,
    ])
  })

  test('counts by the dates of a time zone, whose days begin within UTC days', async () => {
    const project = await service.createProject()
    // 18:15 UTC is midnight in Kathmandu.
    await addBots(
      project,
      { day: '2026-11-19', quarter: 72, requests: 1, dropped: 10, actor: 'ClaudeBot' },
      { day: '2026-11-19', quarter: 73, requests: 2, dropped: 20, actor: 'ClaudeBot' },
      { day: '2026-11-20', quarter: 72, requests: 4, dropped: 40 },
      { day: '2026-11-20', quarter: 73, requests: 8, dropped: 80 },
      { day: '2026-11-21', quarter: 47, requests: 16, dropped: 160 },
    )
    const overview = async (route: typeof routes.botTraffic | typeof routes.accountBotTraffic, tz: string) =>
      (await service.call(route, { query: { project: project.id, period: '1d', tz, limit: '50' } })).body
    for (const route of [routes.botTraffic, routes.accountBotTraffic]) {
      expect(await overview(route, 'Asia/Kathmandu')).toMatchObject({
        period: { from: '2026-11-21', to: '2026-11-21', previous_from: '2026-11-20', tz: 'Asia/Kathmandu' },
      })
    }
    const kathmandu = await overview(routes.botTraffic, 'Asia/Kathmandu')
    expect(kathmandu).toMatchObject({
      summary: {
        automated_requests: { current: 24, previous: 6 },
        dropped_events: { current: 240, previous: 60 },
      },
      actors: [{ actor: 'GPTBot', requests: 24 }],
      time_series: [{ date: '2026-11-21', requests: 24, dropped_events: 240 }],
    })
    // 12:00 UTC is 01:00 of the next date in Auckland, where that date began at 11:00 UTC.
    expect(await overview(routes.botTraffic, 'Pacific/Auckland')).toMatchObject({
      time_series: [{ date: '2026-11-22', requests: 16, dropped_events: 160 }],
      summary: { automated_requests: { current: 16, previous: 12 } },
    })
    expect(await overview(routes.botTraffic, 'UTC')).toMatchObject({
      summary: { automated_requests: { current: 16, previous: 12 } },
    })
  })

  test('cuts the actors at the limit and says how many there are', async () => {
    const project = await service.createProject()
    await addBots(project, ...['c', 'a', 'b'].map(actor => ({ actor })))
    const { body } = await service.call(routes.botTraffic, { query: { project: project.name, limit: '2' } })
    expect((body.actors as { actor: string }[]).map(({ actor }) => actor)).toEqual(['a', 'b'])
    expect(body).toMatchObject({ truncated: true, total_rows: 3 })
  })

  test('carries the context of the project, with the annotations around the period', async () => {
    const project = await service.createProject()
    const at = (occurred_at: string) => ({ occurred_at, title: occurred_at })
    const annotations = ['2026-11-13', '2026-11-14', '2026-11-22T23:59:59Z', '2026-11-23'].map(at)
    await service.contexts.setProject(project, {
      goals: [],
      activation_events: [],
      glossary: [],
      annotations,
    })
    const { body } = await service.call(routes.botTraffic, { query: { project: project.name } })
    expect(body.project_context).toEqual({
      goals: [],
      activation_events: [],
      glossary: [],
      annotations: annotations.slice(1, 3),
    })
    const live = await service.call(routes.live, { query: { project: project.name } })
    expect(live.body.project_context).toMatchObject({ annotations: annotations.slice(2, 3) })
  })
})

describe('GET /account/bot-traffic', () => {
  test('adds up the live projects of the account, and no other', async () => {
    const account = await service.accounts.create({
      email: 'b@example.com',
      tier: 'free',
      complimentary: false,
    })
    const key = await service.accounts.issueApiKey(account.id)
    const [busy, quiet, , deleted] = [
      await service.createProject(account),
      await service.createProject(account),
      await service.createProject(account),
      await service.createProject(account),
    ]
    const theirs = await service.createProject(service.stranger)
    await addBots(busy, { requests: 9, dropped: 90, last_seen_at: NOW - 1_000 })
    await addBots(quiet, { requests: 3, dropped: 3, last_seen_at: NOW - 2_000 })
    for (const project of [deleted, theirs]) await addBots(project, { requests: 100 })
    await service.projects.remove(deleted)
    const { body } = await service.call(routes.accountBotTraffic, {
      key,
      query: { period: '1d', limit: '1' },
    })
    expect(body).toMatchObject({
      scope: 'account',
      period: { label: '1d', from: '2026-11-21', previous_from: '2026-11-20' },
      summary: {
        automated_requests: { current: 12, previous: 0, change: 12, change_pct: null },
        dropped_events: { current: 93 },
        active_projects: 2,
        total_projects: 3,
        last_seen_at: NOW - 1_000,
      },
      categories: [{ category: 'ai_agent', requests: 12, dropped_events: 93, share_pct: 100 }],
      projects: [
        {
          id: busy.id,
          name: busy.name,
          requests: 9,
          dropped_events: 90,
          share_pct: 75,
          last_seen_at: NOW - 1_000,
        },
      ],
      remaining_projects: 1,
      time_series: [{ date: '2026-11-21', requests: 12, dropped_events: 93 }],
      rules_version: '1',
    })
  })

  test('takes either of two scopes', async () => {
    const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
    const call = async (scope: 'account:read' | 'analytics:read' | 'live:read') => {
      const { access_token } = await service.agentSessions.issue(service.owner.id, {
        ...client,
        scopes: [scope],
      })
      const headers = { Authorization: `Bearer ${access_token}` }
      return (await service.call(routes.accountBotTraffic, { key: null, headers })).status
    }
    expect([await call('account:read'), await call('analytics:read'), await call('live:read')]).toEqual([
      200, 200, 403,
    ])
  })
})

test.each([
  [{ period: '2d' }, 'period'],
  [{ limit: '51' }, 'limit'],
  [{ limit: '0' }, 'limit'],
  [{ tz: 'Mars/Base' }, 'tz'],
])('both reports refuse %o', async (query, field) => {
  const { name } = await service.createProject()
  for (const route of [routes.botTraffic, routes.accountBotTraffic]) {
    const sent = { project: name, ...(query as Record<string, string>) }
    const { status, body } = await service.call(route, { query: sent })
    expect([status, body.error]).toEqual([400, 'MISSING_FIELDS'])
    expect(body.message).toContain(`\`${field}\``)
  }
})
