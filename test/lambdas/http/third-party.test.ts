import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { goodRequest } from '#test/support/good-requests'
import { BASE_URL, type HttpService, openHttpService } from '#test/support/http-service'
import { openPagesService, type PagesService } from '#test/support/pages-service'

/**
 * What the page of a stranger makes the browsers of its visitors send: it must not spend a limit of their
 * network. Under `hosted` a network starts 20 sign-ins in ten minutes.
 */

const ATTACKS = 40
/** What browsers send for an image, a frame, a link with `rel=prefetch` and a page that is loaded ahead. */
const EMBEDDED: [string, Record<string, string>][] = [
  ['an image', { 'Sec-Fetch-Dest': 'image', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Site': 'cross-site' }],
  ['a form in a frame', { 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Mode': 'navigate' }],
  ['a prefetch', { 'Sec-Fetch-Dest': 'empty', 'Sec-Purpose': 'prefetch' }],
  ['a page that is loaded ahead', { 'Sec-Fetch-Dest': 'document', 'Sec-Purpose': 'prefetch;prerender' }],
]
const OPENED = { Accept: 'text/html', 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'cross-site' }

describe('pages', () => {
  let pages: PagesService
  let client = ''
  beforeAll(async () => {
    pages = await openPagesService({ profile: 'hosted' })
    client = (await pages.clientRegistry.register({ redirect_uris: ['http://127.0.0.1/callback'] })).id
  })
  afterAll(() => pages.close())
  beforeEach(() => pages.wait(11 * 60_000))

  const authorization = (changes: Record<string, string> = {}) =>
    `/oauth/authorize?${new URLSearchParams({
      client_id: client,
      redirect_uri: 'http://127.0.0.1/callback',
      response_type: 'code',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      ...changes,
    })}`
  const open = (path: string, headers: Record<string, string>) =>
    fetch(`${pages.baseUrl}${path}`, { redirect: 'manual', headers })

  async function attack(path: string, headers: Record<string, string>): Promise<number[]> {
    const statuses = new Set<number>()
    for (let i = 0; i < ATTACKS; i++) statuses.add((await open(path, headers)).status)
    return [...statuses]
  }

  test.each(EMBEDDED)('%s of a page of sign-in is refused and does not count', async (_, headers) => {
    for (const path of [authorization(), '/auth/start/idp']) {
      expect(await attack(path, { Accept: '*/*', ...headers })).toEqual([403])
      expect((await open(path, OPENED)).status).toBe(303)
    }
  })

  test.each([
    ['an unknown client', { client_id: 'nobody' }],
    ['no client', { client_id: '' }],
    ['another address', { redirect_uri: 'https://evil.example/' }],
    ['another response type', { response_type: 'token' }],
    ['no PKCE', { code_challenge_method: 'plain' }],
    ['another resource', { resource: 'https://evil.example/mcp' }],
  ])('an authorization with %s does not count', async (_, changes) => {
    // Programs and old browsers send no Sec-Fetch-Dest.
    expect(await attack(authorization(changes), {})).not.toContain(429)
    expect((await open(authorization(), OPENED)).status).toBe(303)
  })

  test('what is right still counts: a network starts 20 authorizations', async () => {
    const statuses = []
    for (let i = 0; i < 21; i++) statuses.push((await open(authorization(), OPENED)).status)
    expect([statuses.slice(0, 20).every(status => status === 303), statuses[20]]).toEqual([true, 429])
  })

  test('documents of clients that must be fetched have a limit of their own', async () => {
    const clientAt = (i: number) => authorization({ client_id: `https://client.example/${i}` })
    const statuses = []
    for (let i = 0; i < 21; i++) statuses.push((await open(clientAt(i), {})).status)
    expect(statuses.at(-1)).toBe(429)
    expect((await open(authorization(), OPENED)).status).toBe(303)
  })
})

describe.each(['startSession', 'registerAgent', 'registerClient', 'createDemoSession'] as const)(
  '%s',
  name => {
    let service: HttpService
    beforeAll(async () => {
      service = await openHttpService({ profile: 'hosted' })
      await service.demo.setProject(await service.createProject())
    })
    afterAll(() => service.close())

    test.each([
      ['a page of another origin', { Origin: 'https://evil.example' }],
      ['a page in a sandbox', { Origin: 'null' }],
      ['a page that hides its origin', { 'Sec-Fetch-Site': 'cross-site' }],
    ])('%s spends its own room, and not that of the network', async (_, headers) => {
      const sent = { ...(await goodRequest(service, name)), key: null }
      let last = 0
      for (let i = 0; i < ATTACKS; i++) last = (await service.call(routes[name], { ...sent, headers })).status
      expect(last).toBe(429)
      const own: Record<string, string>[] = [{}, { Origin: BASE_URL, 'Sec-Fetch-Site': 'same-origin' }]
      for (const headers of own) {
        expect((await service.call(routes[name], { ...sent, headers })).status).toBeLessThan(300)
      }
    })
  },
)
