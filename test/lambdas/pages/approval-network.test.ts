import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { networkOf } from '#lambdas/auth/origin-of'
import { sessionCookie } from '#lambdas/http/cookies'
import type { Scope } from '#schemas/scopes'
import { openPagesService, type PagesService } from '#test/support/pages-service'

/** What the approval of a detached request asks for, by the networks of its two sides (U75). */

let service: PagesService
let cookie: string
beforeAll(async () => {
  service = await openPagesService()
  const { token } = await service.browserSessions.create(service.owner.id)
  cookie = String(sessionCookie(service.baseUrl).set(token).split(';')[0])
})
afterAll(() => service.close())

const SCOPES: Scope[] = ['analytics:read', 'projects:read', 'projects:write']

/** A request of an agent on this machine, or on the named network, and the page of its approval. */
async function asked({
  network,
  scopes = SCOPES,
  client_name = 'My <b>Agent</b>',
}: {
  network?: string
  scopes?: Scope[]
  client_name?: string | null
} = {}) {
  const own = await networkOf({ ip: '::1', headers: {} }, service)
  const { request } = await service.authRequests.start({
    client_type: 'cli',
    ...(client_name !== null && { client_name }),
    scopes,
    mode: 'detached',
    network: network ?? own ?? '',
  })
  const address = `${service.baseUrl}/agent-sessions/authorize/${request.id}`
  const page = await (await fetch(address, { headers: { Cookie: cookie, Accept: 'text/html' } })).text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  async function decide(fields: Record<string, string>) {
    const response = await fetch(address, {
      method: 'POST',
      headers: { Cookie: cookie, Accept: 'text/html' },
      body: new URLSearchParams({ csrf, ...fields }),
    })
    const text = await response.text()
    const { status, scopes } = (await service.authRequests.get(request.id)) ?? {}
    return { http: response.status, text, status, scopes }
  }
  return { request, page, decide }
}

const ELSEWHERE = { network: 'another' }

describe('a request from the network of the browser', () => {
  test('is approved by a click, and gets all of its scopes', async () => {
    const { request, page, decide } = await asked()
    expect(page).toContain(request.approval_code)
    expect(page).not.toContain('name="code"')
    expect(page).not.toContain('name="client_name"')
    expect(await decide({ decision: 'approve' })).toMatchObject({ status: 'approved', scopes: SCOPES })
  })

  test('is not approved with a wrong code', async () => {
    const { decide } = await asked()
    expect(await decide({ decision: 'approve', code: '----' })).toMatchObject({
      http: 400,
      status: 'pending',
    })
  })
})

test('a page that does not know its own network does not say that the request is from another one', async () => {
  const { request } = await asked()
  const address = `${service.baseUrl}/agent-sessions/authorize/${request.id}`
  const headers = { Cookie: cookie, Accept: 'text/html', 'X-Forwarded-For': '203.0.113.9' }
  const page = await (await fetch(address, { headers })).text()
  expect(page).toContain('name="code"')
  expect(page).not.toContain('another network')
  expect((await asked(ELSEWHERE)).page).toContain('another network')
})

describe('a request from another network', () => {
  test('is not approved by a click', async () => {
    const { request, page, decide } = await asked(ELSEWHERE)
    expect(page).not.toContain(request.approval_code)
    expect(await decide({ decision: 'approve' })).toMatchObject({ http: 400, status: 'pending' })
  })

  test('gets all of its scopes with the code', async () => {
    const { request, decide } = await asked(ELSEWHERE)
    const code = request.approval_code.slice(-4)
    expect(await decide({ decision: 'approve', code })).toMatchObject({
      status: 'approved',
      scopes: SCOPES,
    })
  })

  test.each([
    ['its name', undefined, 'My <b>Agent</b>'],
    ['its name in another case, with blanks', undefined, ' my <B>AGENT</b> '],
    ['its type, where it has no name', null, 'cli'],
  ])('gets reading alone without the code, when the human types %s', async (_, client_name, typed) => {
    const { page, decide } = await asked({
      ...ELSEWHERE,
      ...(client_name !== undefined && { client_name }),
    })
    expect(page).toContain('Without the code, nothing shows that this request is of your agent')
    expect(page).not.toContain('<b>Agent</b>')
    expect(await decide({ decision: 'approve_reading', client_name: typed })).toMatchObject({
      status: 'approved',
      scopes: ['analytics:read', 'projects:read'],
    })
  })

  test.each([
    ['', 'nothing'],
    ['Agent', 'another name'],
  ])('stays undecided when the human types “%s”: %s', async typed => {
    const { decide } = await asked(ELSEWHERE)
    const decided = await decide({ decision: 'approve_reading', client_name: typed })
    expect(decided).toMatchObject({ http: 400, status: 'pending' })
    expect(decided.text).toContain('This is not the name of the client.')
  })

  test('that asks for nothing to read needs the code', async () => {
    const { page, decide } = await asked({ ...ELSEWHERE, scopes: ['projects:write'] })
    expect(page).not.toContain('name="client_name"')
    const decided = await decide({ decision: 'approve_reading', client_name: 'My <b>Agent</b>' })
    expect(decided).toMatchObject({ http: 400, status: 'pending' })
  })
})

describe('the network of a sender', () => {
  const network = (ip: string | null, headers = {}) => networkOf({ ip, headers }, service)

  test('is one for all addresses of this machine', async () => {
    const own = await network('127.0.0.1')
    expect(own).not.toBeNull()
    for (const ip of ['127.8.8.8', '::1', '::ffff:127.0.0.1']) expect(await network(ip)).toBe(own)
  })

  test('is not known behind a proxy of this machine that is not trusted, and without an address', async () => {
    expect(await network('127.0.0.1', { 'x-forwarded-for': '203.0.113.9' })).toBeNull()
    expect(await network('::1', { forwarded: 'for=203.0.113.9' })).toBeNull()
    expect(await network(null)).toBeNull()
  })

  test('is one for an IPv6 /64, and one for each IPv4 address', async () => {
    expect(await network('2001:db8:1:2::1')).toBe(await network('2001:db8:1:2:3::4'))
    expect(await network('2001:db8:1:2::1')).not.toBe(await network('2001:db8:1:3::1'))
    expect(await network('203.0.113.9')).not.toBe(await network('203.0.113.10'))
  })
})
