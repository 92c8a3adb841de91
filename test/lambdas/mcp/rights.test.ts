import { describe, expect, test } from 'vitest'
import { openMcpService, textOf, useMcpProject } from '#test/support/mcp-service'

/** Who may do what by tools, and what `manage` changes. */

const HOUR = 3_600_000

const { service, call, named, refusal } = useMcpProject([
  { event: 'page_view' },
  { event: 'signup_completed' },
])

const STEPS = [{ event: 'page_view' }, { event: 'signup_completed' }]

describe('rights', () => {
  test('a session without the scope learns which one it needs', async () => {
    const narrow = await service.connect({ token: await service.token(['projects:read']) })
    expect(await refusal('query', named(), narrow)).toMatch(/^FORBIDDEN(.|\n)*analytics:read/)
    const reader = await service.connect({ token: await service.token(['projects:read', 'analytics:read']) })
    const text = await refusal(
      'manage',
      named({ action: 'update_project', values: { name: 'other' } }),
      reader,
    )
    expect(text).toMatch(/^FORBIDDEN(.|\n)*projects:write/)
  })

  test('the project of another account is not found', async () => {
    const theirs = await service.createProject(service.stranger)
    for (const [name, more] of [
      ['query', {}],
      ['check', {}],
      ['people', {}],
    ] as const) {
      expect(await refusal(name, { project: theirs.id, ...more })).toMatch(/^(NOT_FOUND|FORBIDDEN)/)
    }
  })

  test('an expired session is refused before any tool runs', async () => {
    const own = await openMcpService()
    const late = await own.connect()
    own.wait(2 * HOUR)
    await expect(late.callTool({ name: 'overview', arguments: {} })).rejects.toThrow()
    await own.close()
  })

  test('the free plan reads what it has, and learns where to upgrade', async () => {
    const hosted = await openMcpService({ profile: 'hosted' })
    const account = await hosted.accounts.create({
      email: 'free@example.com',
      tier: 'free',
      complimentary: false,
    })
    const theirs = await hosted.createProject(account as typeof hosted.owner)
    const key = await hosted.accounts.issueApiKey(account.id)
    const free = await hosted.connect({ token: key })
    expect((await free.callTool({ name: 'query', arguments: { project: theirs.name } })).isError).toBeFalsy()
    const gated = await free.callTool({
      name: 'journeys',
      arguments: { project: theirs.name, kind: 'funnel', steps: STEPS },
    })
    expect(textOf(gated)).toMatch(/^PRO_REQUIRED: Ask the human/)
    await hosted.close()
  })
})

describe('manage', () => {
  test('creates a project, whose snippet can be used as it stands', async () => {
    const result = await call('manage', {
      action: 'create_project',
      values: { name: 'made-here', allowed_origins: 'https://a.example' },
    })
    const [made] = (await service.projects.list(service.owner.id)).filter(({ name }) => name === 'made-here')
    expect(textOf(result)).toContain(`data-project="made-here" data-token="${made?.project_token}"></script>`)
    expect(
      (await call('manage', { action: 'update_project', project: 'made-here', values: { name: 'renamed' } }))
        .isError,
    ).toBeFalsy()
    expect(await service.projects.list(service.owner.id)).toContainEqual(
      expect.objectContaining({ name: 'renamed' }),
    )
  })

  test('gives a project a time zone, and its reports then have the days of that zone', async () => {
    const { name } = await service.createProject()
    const values = { timezone: 'Pacific/Kiritimati' }
    expect(textOf(await call('manage', { action: 'update_project', project: name, values }))).toContain(
      'Pacific/Kiritimati',
    )
    expect(textOf(await call('query', { project: name, report: 'totals' }))).toContain('(Pacific/Kiritimati)')
  })

  test('adds an annotation, and leaves the rest of the context as it is', async () => {
    const set = (action: string, values: object) => call('manage', named({ action, values }))
    await set('set_context', { goals: ['More signups'], activation_events: ['signup_completed'] })
    await set('add_annotation', { occurred_at: '2026-11-20', title: 'New prices' })
    await set('add_annotation', { occurred_at: '2026-11-21', title: 'Sale' })
    const { context } = await service.contexts.ofProject(service.project)
    expect(context).toMatchObject({
      goals: ['More signups'],
      activation_events: ['signup_completed'],
      annotations: [{ title: 'New prices' }, { title: 'Sale' }],
    })
  })

  test('loses nothing when ten write the context at the same time', async () => {
    const project = await service.createProject()
    const write = (action: string, values: object) =>
      call('manage', { action, project: project.name, values })
    const titles = Array.from({ length: 10 }, (_, i) => `Release ${i}`)
    const results = await Promise.all([
      ...titles.map(title => write('add_annotation', { occurred_at: '2026-11-20', title })),
      write('set_context', { goals: ['More signups'] }),
      write('set_context', { activation_events: ['signup_completed'] }),
      write('set_context', { glossary: [{ event_name: 'a', term: 'A', definition: 'An a' }] }),
    ])
    expect(results.map(({ isError = false }) => isError)).toEqual(results.map(() => false))
    const { context } = await service.contexts.ofProject(project)
    expect(context).toMatchObject({
      goals: ['More signups'],
      activation_events: ['signup_completed'],
      glossary: [{ term: 'A' }],
    })
    expect(context.annotations.map(({ title }) => title).toSorted()).toEqual(titles)
  })

  test('creates, pauses and lists an experiment', async () => {
    const values = {
      name: 'cta',
      variants: ['control', 'blue'],
      goal_event: 'signup_completed',
      planned_size: 900,
    }
    const made = await call('manage', named({ action: 'create_experiment', values }))
    const id = (made.structuredContent as { tables: { rows: string[][] }[] }).tables[0]?.rows[0]?.[0]
    await call('manage', { action: 'update_experiment', values: { experiment: id, status: 'paused' } })
    const results = await call('query', { report: 'experiments', experiment: id })
    expect(textOf(results)).toMatch(/^The experiment is paused; decision: keep_running/)
    expect(textOf(results)).toMatch(/planned_size\W+900/)
    expect(textOf(results)).toContain('every variant has 900 users')
    const list = await call('query', named({ report: 'experiments' }))
    expect(textOf(list)).toMatch(/\|smallest_effect\|planned_size\n.*\|null\|900\n/)
  })

  test('keeps a portfolio and sends feedback', async () => {
    const made = await call('manage', {
      action: 'create_portfolio',
      values: { slug: 'shops', name: 'Shops', projects: [service.project.name] },
    })
    expect(textOf(made)).toContain('|shops|Shops|')
    await call('manage', { action: 'update_portfolio', values: { portfolio: 'shops', name: 'All shops' } })
    await call('manage', { action: 'send_feedback', values: { message: 'It works.' } })
    expect(service.feedback).toHaveLength(1)
  })
})

test('none of these calls was logged as a failure', () => {
  expect(service.logged).toEqual([])
})
