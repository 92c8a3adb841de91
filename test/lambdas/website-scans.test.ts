import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { type ScanResponse, scanResponse } from '#schemas/scan-requests'
import { refusedAddresses } from '#test/core/outbound/refused-addresses'
import { HUMAN_BROWSER } from '#test/support/browser'
import { type HttpService, openHttpService, type RequestOptions } from '#test/support/http-service'
import { SITE } from '#test/support/test-scans'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService({
    profile: 'hosted',
    limits: 'anonymous_scans_per_hour=-1,account_scans_per_hour=-1,free.max_full_scans_per_month=2',
    site: url => {
      if (/\.(txt|xml)$/.test(url)) return null
      return url.includes('down.example.com') ? { status: 500 } : SITE
    },
  })
})
afterAll(() => service.close())

const anybody = { key: null }
type Body = ScanResponse & {
  error: string
  message: string
  required_scope: string
  retry_after_seconds: number
}

/** Calls a route whose response is an analysis or an error. */
async function call(route: Route, options: RequestOptions) {
  const response = await service.call(route, options)
  return { ...response, body: response.body as unknown as Body }
}

const { createScan, createProjectScan, readScan, upgradeScan, verifyScan } = routes

describe('without a credential', () => {
  test('a preview of the root domain is made, with a token that reads it', async () => {
    const { status, body } = await call(createScan, {
      ...anybody,
      body: { url: 'https://www.example.net/pricing' },
    })
    expect(status).toBe(200)
    expect(scanResponse.parse(body)).toMatchObject({
      ok: true,
      mode: 'anonymous_preview',
      status: 'succeeded',
      normalized_url: 'https://example.net/',
      hostname: 'example.net',
      cached: false,
    })
    expect(body.preview?.minimum_viable_instrumentation.length).toBeGreaterThanOrEqual(3)
    expect(body.preview?.minimum_viable_instrumentation.length).toBeLessThanOrEqual(5)
    expect(body.agent_handoff).toMatchObject({
      analysis_id: body.analysis_id,
      resume_token: body.resume_token,
    })
    expect(body.agent_handoff.prompt).toContain('signup')
    const query = { resume_token: body.resume_token as string }
    const read = await call(readScan, { ...anybody, id: body.analysis_id, query })
    expect([read.status, read.body.preview]).toEqual([200, body.preview])
    expect(read.text).not.toContain(body.resume_token as string)
  })

  test.each([
    ['a full analysis', { full: true }],
    ['a full analysis by its mode', { mode: 'full' }],
    ['a focus', { focus: 'More sign-ups' }],
    ['a project', { project: 'shop' }],
  ])('%s needs an account', async (_, fields) => {
    const { body } = await call(createScan, {
      ...anybody,
      body: { url: 'https://example.com', ...fields },
    })
    expect(body.error).toBe('AUTH_REQUIRED')
  })

  test.each([
    ['no token', undefined],
    ['a wrong token', { resume_token: `rst_${'0'.repeat(64)}` }],
    ['an empty token', { resume_token: '' }],
  ])('an analysis is not read with %s', async (_, query) => {
    const { body: made } = await call(createScan, {
      ...anybody,
      body: { url: 'https://example.org' },
    })
    const { body } = await call(readScan, {
      ...anybody,
      id: made.analysis_id,
      ...(query && { query }),
    })
    expect(body.error).toBe(query === undefined ? 'AUTH_REQUIRED' : 'NOT_FOUND')
  })

  test('every address that is not of the public internet is refused', async () => {
    for (const [, url] of refusedAddresses(9)) {
      const { status, body } = await call(createScan, { ...anybody, body: { url } })
      expect([url, status, body.error]).toEqual([url, 400, url === '' ? 'MISSING_FIELDS' : 'INVALID_URL'])
    }
  })

  test('an unknown credential is refused, not ignored', async () => {
    for (const key of ['aak_wrong', service.revokedKey]) {
      const { body } = await call(createScan, { key, body: { url: 'https://example.com' } })
      expect(body.error).toBe('AUTH_REQUIRED')
    }
  })
})

test.each([
  ['no url', {}],
  ['a url that is a number', { url: 7 }],
  ['an empty url', { url: '' }],
  ['an unknown mode', { url: 'https://example.com', mode: 'deep' }],
  ['a text for full', { url: 'https://example.com', full: 'yes' }],
  ['two modes', { url: 'https://example.com', full: true, mode: 'preview' }],
  ['a long focus', { url: 'https://example.com', focus: 'x'.repeat(201) }],
])('%s is refused', async (_, body) => {
  const response = await call(createScan, { body })
  expect([response.status, response.body.error]).toEqual([400, 'MISSING_FIELDS'])
})

test('a body over 16 KB is refused', async () => {
  const body = { url: `https://example.com/${'x'.repeat(17_000)}` }
  const { status } = await call(createScan, { ...anybody, body })
  expect(status).toBe(413)
})

describe('of an account', () => {
  test('a full analysis is made, read and not shown to others', async () => {
    const { body } = await call(createScan, {
      body: { url: 'https://full.example.com/', full: true, focus: 'more sign-ups' },
    })
    expect(scanResponse.parse(body)).toMatchObject({
      mode: 'full',
      normalized_url: 'https://full.example.com/',
    })
    expect(body.result?.minimum_viable_instrumentation.length).toBeGreaterThanOrEqual(5)
    expect(body.coverage?.pages.length).toBeGreaterThan(3)
    expect('resume_token' in body).toBe(false)
    const read = await call(readScan, { id: body.analysis_id })
    expect(read.body.result).toEqual(body.result)
    for (const route of [readScan, upgradeScan, verifyScan]) {
      const foreign = await call(route, {
        id: body.analysis_id,
        key: service.strangersKey,
        ...(route === upgradeScan && { body: {} }),
      })
      expect(foreign.body.error).toBe('NOT_FOUND')
    }
    for (const id of ['scan_1', 'scan_'.padEnd(29, '0'), 'x'.repeat(3_000)]) {
      expect((await call(readScan, { id })).body.error).toBe('NOT_FOUND')
    }
  })

  test('the route of the command line needs a project, unless the account is complimentary', async () => {
    const paying = await service.accounts.create({
      email: 'pays@example.org',
      tier: 'pro',
      complimentary: false,
    })
    const key = await service.accounts.issueApiKey(paying.id)
    const refused = await call(createProjectScan, { key, body: { url: 'https://cli.example.com/' } })
    expect([refused.body.error, refused.body.message]).toEqual([
      'MISSING_FIELDS',
      expect.stringContaining('project required'),
    ])
    const { status } = await call(createProjectScan, { body: { url: 'https://cli.example.com/' } })
    expect(status).toBe(200)
  })

  test('the project must be of the account and of the host', async () => {
    const { project } = await service.projects.create({
      account: service.owner,
      name: 'shop',
      allowed_origins: 'https://shop.example.com',
    })
    const url = 'https://www.shop.example.com/'
    const { body } = await call(createProjectScan, { body: { url, project: 'shop' } })
    expect([body.project_id, body.agent_handoff.prompt.includes(project.project_token)]).toEqual([
      project.id,
      true,
    ])
    const foreign = await call(createProjectScan, {
      key: service.strangersKey,
      body: { url, project: project.id },
    })
    expect(foreign.body.error).toBe('NOT_FOUND')
    const other = await call(createProjectScan, {
      body: { url: 'https://example.com/', project: 'shop' },
    })
    expect(other.body.error).toBe('MISSING_FIELDS')
  })

  test('a session that only reads makes previews, and nothing that counts', async () => {
    const client = {
      client_type: 'agent',
      scopes: ['analytics:read' as const],
      client_name: null,
      client_instance_id: null,
      label: null,
    }
    const { access_token } = await service.agentSessions.issue(service.owner.id, client)
    const session = { key: null, headers: { Authorization: `Bearer ${access_token}` } }
    const preview = await call(createScan, {
      ...session,
      body: { url: 'https://reads.example.com/' },
    })
    expect(preview.body.mode).toBe('authenticated_preview')
    for (const fields of [{ full: true }, { project: 'shop' }]) {
      const { body } = await call(createScan, {
        ...session,
        body: { url: 'https://reads.example.com/', ...fields },
      })
      expect([body.error, body.required_scope]).toEqual(['FORBIDDEN', 'projects:write'])
    }
    const cli = await call(createProjectScan, {
      ...session,
      body: { url: 'https://reads.example.com/' },
    })
    expect(cli.body.error).toBe('FORBIDDEN')
  })

  test('an anonymous preview is upgraded with its token, and then belongs to the account', async () => {
    const { body: made } = await call(createScan, {
      ...anybody,
      body: { url: 'https://example.com' },
    })
    const id = made.analysis_id
    expect((await call(upgradeScan, { id, body: {} })).body.error).toBe('NOT_FOUND')
    const upgraded = await call(upgradeScan, { id, body: { resume_token: made.resume_token } })
    expect(upgraded.body).toMatchObject({
      analysis_id: id,
      mode: 'full',
      status: 'succeeded',
      preview: made.preview,
    })
    expect((await call(readScan, { id })).body.result).toEqual(upgraded.body.result)
    // The owner may send no body at all.
    expect((await call(upgradeScan, { id })).body.result).toEqual(upgraded.body.result)
  })

  test.each(['analytics:read', 'live:read', 'projects:read'] as const)(
    'a session with %s alone upgrades a preview, as every credential of the account',
    async scope => {
      const { body: made } = await call(createScan, {
        ...anybody,
        body: { url: `https://${scope.replace(':', '-')}.example.com` },
      })
      const client = { client_type: 'agent', client_name: null, client_instance_id: null, label: null }
      const { access_token } = await service.agentSessions.issue(service.owner.id, {
        ...client,
        scopes: [scope],
      })
      const { status, body } = await call(upgradeScan, {
        ...{ key: null, headers: { Authorization: `Bearer ${access_token}` } },
        ...{ id: made.analysis_id, body: { resume_token: made.resume_token } },
      })
      expect([status, body.mode]).toEqual([200, 'full'])
    },
  )

  test('a demo session and a share link upgrade nothing', async () => {
    const demo = await service.agentSessions.issueDemo((await service.demo.account()).id)
    const project = await service.createProject()
    const link = await service.call(routes.createShareLink, { id: project.id, body: {} })
    for (const token of [demo.access_token, String(link.body.url).split('/').at(-1)]) {
      const request = { key: null, headers: { Authorization: `Bearer ${token}` } }
      const { status, body } = await call(upgradeScan, { ...request, id: 'scan_1', body: {} })
      expect([status, body.error]).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('a quota is told with the seconds to wait', async () => {
    const free = await service.accounts.create({
      email: 'free@example.org',
      tier: 'free',
      complimentary: false,
    })
    const key = await service.accounts.issueApiKey(free.id)
    const full = (i: number) =>
      call(createScan, { key, body: { url: `https://q${i}.example.com/`, full: true } })
    expect([(await full(1)).status, (await full(2)).status]).toEqual([200, 200])
    const { status, body, headers } = await full(3)
    expect([status, body.error, headers.get('retry-after')]).toEqual([
      429,
      'SCAN_BUSY',
      String(body.retry_after_seconds),
    ])
  })

  test('a site that is down is SCAN_FAILED, and its analysis says so later', async () => {
    const { status, body } = await call(createScan, { body: { url: 'https://down.example.com/' } })
    expect([status, body.error]).toEqual([502, 'SCAN_FAILED'])
    const read = await call(readScan, { id: body.analysis_id })
    expect(read.body).toMatchObject({
      status: 'failed',
      failure: { error: 'SCAN_FAILED', message: body.message },
    })
    scanResponse.parse(read.body)
  })
})

describe('a project from an analysis', () => {
  test('notes it, and the analysis is then for the project', async () => {
    const { body: scan } = await call(createScan, {
      body: { url: 'https://source.example.com/', full: true },
    })
    const project = {
      name: 'from-scan',
      allowed_origins: 'https://source.example.com',
      source_scan_id: scan.analysis_id,
    }
    const { status, body } = await service.call(routes.createProject, { body: project })
    expect([status, body.source_scan_id]).toEqual([201, scan.analysis_id])
    expect((await call(readScan, { id: scan.analysis_id })).body.project_id).toBe(body.id)
  })

  test('is refused for an unknown or foreign analysis, and for another host', async () => {
    const { body: scan } = await call(createScan, { body: { url: 'https://source2.example.com/' } })
    const create = (source_scan_id: string, allowed_origins: string, key?: string) =>
      service.call(routes.createProject, {
        ...(key && { key }),
        body: { name: `p-${Math.random()}`, allowed_origins, source_scan_id },
      })
    const attempts = [
      create('scan_000000000000000000000000', 'https://source2.example.com'),
      create('anything', 'https://source2.example.com'),
      create(scan.analysis_id, 'https://other.example.com'),
      create(scan.analysis_id, '*'),
      create(scan.analysis_id, 'https://source2.example.com', service.strangersKey),
    ]
    for (const { body } of await Promise.all(attempts)) expect(body.error).toBe('MISSING_FIELDS')
  })
})

describe('verify', () => {
  test('says that nothing has arrived in an empty project', async () => {
    const { project } = await service.projects.create({ account: service.owner, name: 'verified' })
    const { body: scan } = await call(createProjectScan, {
      body: { url: 'https://verify.example.com/', project: project.name },
    })
    const { status, body } = await service.call(verifyScan, { id: scan.analysis_id })
    const events = body.events as { arrived: boolean }[]
    expect([status, body.analysis_id, events.length]).toEqual([
      200,
      scan.analysis_id,
      scan.preview?.minimum_viable_instrumentation.length,
    ])
    expect(events.every(({ arrived }) => !arrived)).toBe(true)
  })

  test('says what the project refused since the analysis, why, and which setting takes it', async () => {
    const { project } = await service.projects.create({
      account: service.owner,
      name: 'refusing',
      allowed_origins: 'https://refusing.example.com',
    })
    const { body: scan } = await call(createProjectScan, {
      body: { url: 'https://refusing.example.com/', project: project.name },
    })
    const origin = 'https://www.refusing.example.com'
    const sent = await service.call(routes.track, {
      ...anybody,
      body: { token: project.project_token, event: 'signup_started', anonymous_id: 'a1' },
      headers: { origin, 'user-agent': HUMAN_BROWSER.userAgent },
    })
    expect(sent.status).toBe(403)
    const { body } = await service.call(verifyScan, { id: scan.analysis_id })
    const fix = `If pages of it are yours, add ${origin} to allowed_origins: https://refusing.example.com,${origin}`
    expect(body.refused).toEqual([{ reason: 'origin', events: 1, last: origin, fix }])
    for (const event of body.events as { arrived: boolean; fix: object }[])
      expect(event).toMatchObject({ arrived: false, fix: { change: fix } })
  })

  test('of an analysis for no project is refused', async () => {
    const { body: scan } = await call(createScan, { body: { url: 'https://nobody.example.com/' } })
    expect((await service.call(verifyScan, { id: scan.analysis_id })).body.error).toBe('MISSING_FIELDS')
  })
})
