import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClientDocuments } from '#core/access/client-documents'
import {
  createOutboundClient,
  type OutboundClient,
  type OutboundResponse,
} from '#core/outbound/outbound-client'
import { OutboundFailure } from '#core/outbound/outbound-failure'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState, type TestState } from '#test/support/test-state'

const MINUTE_MS = 60_000
const DOCUMENT = {
  client_id: 'https://client.example/oauth/metadata.json',
  client_name: 'A client',
  redirect_uris: ['https://client.example/callback', 'http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  logo_uri: 'https://client.example/logo.png',
}

let state: TestState
let now = Date.UTC(2026, 10, 23)
let fetched: { url: string; options: unknown }[] = []
let response: () => Partial<OutboundResponse> & { document?: unknown }
let documents: ReturnType<typeof createClientDocuments>
const admit = async () => {}
const find = (id: string) => documents.find(id, admit)

beforeAll(async () => {
  state = await openTestState()
  const outbound: OutboundClient = {
    async fetch(url, options) {
      fetched.push({ url, options })
      const { document = { ...DOCUMENT, client_id: url }, ...rest } = response()
      return {
        url,
        redirects: [],
        status: 200,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)),
        isCut: false,
        ...rest,
      }
    },
  }
  documents = createClientDocuments({ ...state, clock: { now: () => now }, outbound })
})
afterAll(() => state.close())
beforeEach(() => {
  fetched = []
  response = () => ({})
})

let count = 0
/** An address that no other test has asked for. */
const fresh = () => `https://client.example/client-${count++}`

test('a client is what its document says', async () => {
  const id = fresh()
  expect(await find(id)).toEqual({ id, name: 'A client', redirect_uris: DOCUMENT.redirect_uris })
  expect(fetched).toEqual([
    {
      url: id,
      options: {
        maxBytes: 5_120,
        timeoutMs: 5_000,
        maxRedirects: 0,
        headers: { accept: 'application/json' },
      },
    },
  ])
})

test('a document is read again after an hour, and then a changed one counts', async () => {
  const id = fresh()
  const first = await find(id)
  now += 59 * MINUTE_MS
  response = () => ({ document: { ...DOCUMENT, client_id: id, client_name: 'Renamed' } })
  expect(await find(id)).toEqual(first)
  now += MINUTE_MS
  expect(await find(id)).toMatchObject({ name: 'Renamed' })
  expect(fetched).toHaveLength(2)
})

test('an item of the cache is deleted within an hour, and has only what the service uses', async () => {
  const id = fresh()
  response = () => ({ document: { ...DOCUMENT, client_id: id, junk: 'x'.repeat(4_000) } })
  await find(id)
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  for (const item of Items) {
    expect(Number(item.expires_at) * 1_000 - now).toBeLessThanOrEqual(60 * MINUTE_MS)
    expect(JSON.stringify(item).length).toBeLessThan(700)
  }
})

test.each([
  'http://client.example/metadata.json',
  'https://client.example',
  'https://client.example/',
  'https://client.example/metadata.json#part',
  'https://user@client.example/metadata.json',
  'https://user:word@client.example/metadata.json',
  'https://client.example/a/../metadata.json',
  'https://client.example/./metadata.json',
  'https://CLIENT.example/metadata.json',
  'https://client.example:443/metadata.json',
  'https:client.example/metadata.json',
  `https://client.example/${'x'.repeat(1_024)}`,
])('nothing is fetched from %s, which is no address of a document', async id => {
  await expect(find(id)).rejects.toMatchObject({ code: 'invalid_client' })
  expect(fetched).toEqual([])
})

const from = (changes: object) => (id: string) => ({
  document: { ...DOCUMENT, client_id: id, ...changes },
})

test.each<[string, (id: string) => ReturnType<typeof response>, RegExp]>([
  ['of another address', from({ client_id: 'https://client.example/other' }), /own address/],
  ['without an id', from({ client_id: undefined }), /client_id/],
  ['without redirect addresses', from({ redirect_uris: undefined }), /redirect_uris/],
  ['with an empty list of them', from({ redirect_uris: [] }), /redirect_uris/],
  ['with http to another machine', from({ redirect_uris: ['http://client.example/'] }), /redirect_uris/],
  ['with too many', from({ redirect_uris: Array(11).fill('https://client.example/') }), /redirect_uris/],
  ['with a secret', from({ client_secret: 'x' }), /client_secret/],
  [
    'that signs in by a secret',
    from({ token_endpoint_auth_method: 'client_secret_post' }),
    /token_endpoint_auth_method/,
  ],
  ['that is an array', () => ({ document: [] }), /JSON object/],
  ['that is not JSON', () => ({ document: '<html>' }), /JSON object/],
  ['that was cut', () => ({ isCut: true }), /5120 bytes/],
  ['of another type', () => ({ headers: { 'content-type': 'text/html' } }), /application\/json/],
  ['without a type', () => ({ headers: {} }), /application\/json/],
  ['that is not there', () => ({ status: 404 }), /404/],
  ['that is a redirect', () => ({ status: 302, headers: { location: 'https://evil.example/' } }), /302/],
])('a document %s is refused, and the reason is said', async (_, given, reason) => {
  const id = fresh()
  response = () => given(id)
  await expect(find(id)).rejects.toMatchObject({
    code: 'invalid_client',
    message: expect.stringMatching(reason),
  })
  // A failure is not kept.
  response = () => ({})
  expect(await find(id)).toMatchObject({ id })
})

test('a name that cannot be used is left out', async () => {
  response = () => ({ document: { ...DOCUMENT, client_id: id, client_name: 'x'.repeat(257) } })
  const id = fresh()
  expect(await find(id)).toMatchObject({ name: null })
})

test('a server that does not answer is told to the human', async () => {
  response = () => {
    throw new OutboundFailure('timeout', 'The server did not answer within 5 s.')
  }
  await expect(find(fresh())).rejects.toMatchObject({
    code: 'invalid_client',
    message: expect.stringContaining('did not answer within 5 s'),
  })
})

test.each([
  'https://127.0.0.1/metadata.json',
  'https://localhost/metadata.json',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/metadata.json',
  'https://client.example:8443/metadata.json',
  'https://inside.test/metadata.json',
])('nothing connects for %s, which is not of the public internet', async id => {
  let connections = 0
  const network = {
    addresses: async () => ['10.0.0.7'],
    exchange: async () => {
      connections++
      throw new Error('connected')
    },
  }
  const outbound = createOutboundClient({ network, userAgent: 'test', clock: createFakeClock() })
  const guarded = createClientDocuments({ ...state, clock: { now: () => now }, outbound })
  await expect(guarded.find(id, admit)).rejects.toMatchObject({ code: 'invalid_client' })
  expect(connections).toBe(0)
})

test('who may cause no fetch gets none, and what was read before is there for everybody', async () => {
  const id = 'https://limited.example/client.json'
  const refuse = async () => {
    throw new Error('too many')
  }
  await expect(documents.find(id, refuse)).rejects.toThrow('too many')
  expect(fetched).toEqual([])
  response = () => ({ body: Buffer.from(JSON.stringify({ ...DOCUMENT, client_id: id })) })
  await find(id)
  expect(await documents.find(id, refuse)).toMatchObject({ id })
})

test('a fault of ours is none of the client', async () => {
  response = () => {
    throw new TypeError('a bug')
  }
  await expect(find(fresh())).rejects.toThrow('a bug')
})
