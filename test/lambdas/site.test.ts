import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import type { HttpRequest } from '#lambdas/http/http'
import { siteHandler } from '#lambdas/site/handler'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const BASE_URL = 'https://a.example'
/** The address that AWS gives to an API has 57 characters. */
const LONG_ADDRESS_CHARS = 64

const tracker = {
  code: '!function(){}()',
  source: 'function ä() {}',
  sha256: 'ab12'.repeat(16),
  core: { code: '!0', sha256: 'cd34'.repeat(16) },
}
const numbers = readFileSync(new URL('../../docs/api/numbers.md', import.meta.url), 'utf8')
const script = { code: '!function(){}()', sha256: 'cd34'.repeat(16) }
const viewer = async () => ({ page: script, stage: script })
const dashboard = async () => ({
  files: {
    'app-1A.js': { contentType: 'application/javascript', text: 'start()' },
    'app-2B.css': { contentType: 'text/css', text: 'a{}' },
  },
})
const site = siteHandler({
  tracker: async () => tracker,
  dashboard,
  viewer,
  numbers,
  mayHaveDemo: true,
  baseUrl: BASE_URL,
  log: () => {},
})

function get(
  route: Route,
  headers: HttpRequest['headers'] = {},
  params: Record<string, string> = {},
  from = site,
  query: HttpRequest['query'] = {},
) {
  return from(route, {
    method: 'GET',
    path: route.path,
    params,
    query,
    headers,
    body: new Uint8Array(),
    ip: null,
  })
}

test('GET /health reports that the service runs', async () => {
  const { status, body, headers } = await get(routes.health)
  expect([status, body, headers['Cache-Control']]).toEqual([
    200,
    '{"status":"ok","service":"footfall"}',
    'no-store',
  ])
})

test('a build of the tracker that fails is tried again for the next request, and one that succeeds is kept', async () => {
  let builds = 0
  const buildOnce = async () => {
    builds += 1
    if (builds === 1) throw new Error('There is no memory.')
    return tracker
  }
  const failing = siteHandler({
    tracker: buildOnce,
    dashboard,
    viewer,
    numbers,
    mayHaveDemo: true,
    baseUrl: 'https://a.example',
    log: () => {},
  })
  const statuses = []
  for (let i = 0; i < 3; i++) statuses.push((await get(routes.trackerJs, {}, {}, failing)).status)
  expect([statuses, builds]).toEqual([[500, 200, 200], 2])
})

test('files of the dashboard have their own type and are cached for a year, and an unknown one is 404', async () => {
  const script = await get(routes.dashboardFile, {}, { file: 'app-1A.js' })
  expect([script.status, String(script.body), script.headers['Content-Type']]).toEqual([
    200,
    'start()',
    'application/javascript',
  ])
  expect(script.headers['Cache-Control']).toBe('public, max-age=31536000, immutable')
  const style = await get(routes.dashboardFile, {}, { file: 'app-2B.css' })
  expect(style.headers['Content-Type']).toBe('text/css')
  for (const file of ['app-0.js', 'constructor', '']) {
    const { status, headers } = await get(routes.dashboardFile, {}, { file })
    expect([status, headers['Cache-Control']]).toEqual([404, 'no-store'])
  }
})

test('the tracker has its checksum in a header, and clients may cache it for an hour', async () => {
  const { status, body, headers } = await get(routes.trackerJs)
  expect([status, String(body)]).toEqual([200, tracker.code])
  expect(headers).toMatchObject({
    'Content-Type': 'application/javascript; charset=utf-8',
    'Cache-Control': 'public, max-age=3600',
    'X-Tracker-Checksum-Algorithm': 'sha256',
    'X-Tracker-SHA256': tracker.sha256,
    'X-Tracker-Path': '/tracker/ab12ab12ab12ab12.js',
    'Access-Control-Allow-Origin': '*',
  })
})

test.each([
  ['its current version', 'ab12ab12ab12ab12.js', 'public, max-age=31536000, immutable'],
  ['another version', 'ffffffffffffffff.js', 'public, max-age=3600'],
])(
  'the tracker under %s is the current script, with a fitting time in caches',
  async (_, version, cacheControl) => {
    const { status, body, headers } = await get(routes.trackerVersion, {}, { version })
    expect([status, String(body), headers['Cache-Control']]).toEqual([200, tracker.code, cacheControl])
    expect(headers['X-Tracker-SHA256']).toBe(tracker.sha256)
  },
)

test('the smaller tracker has its own checksum and versions', async () => {
  const { status, body, headers } = await get(routes.trackerCore)
  expect([status, String(body)]).toEqual([200, tracker.core.code])
  expect(headers).toMatchObject({
    'Cache-Control': 'public, max-age=3600',
    'X-Tracker-SHA256': tracker.core.sha256,
    'X-Tracker-Path': '/tracker/cd34cd34cd34cd34.core.js',
  })
  const versions = ['cd34cd34cd34cd34.core.js', 'ffffffffffffffff.core.js'].map(version =>
    get(routes.trackerVersion, {}, { version }),
  )
  for (const { body } of await Promise.all(versions)) expect(String(body)).toBe(tracker.core.code)
  const [current, older] = await Promise.all(versions)
  expect(current!.headers['Cache-Control']).toBe('public, max-age=31536000, immutable')
  expect(older!.headers['Cache-Control']).toBe('public, max-age=3600')
})

test('GET /tracker.src.js returns the readable source', async () => {
  expect(String((await get(routes.trackerSource)).body)).toBe(tracker.source)
})

describe('a script is compressed with what its client reads', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['deflate', undefined, (body: Buffer) => body],
    [undefined, undefined, (body: Buffer) => body],
  ] as const)('Accept-Encoding %s gives %s', async (accepted, encoding, decode) => {
    const { body, headers } = await get(routes.trackerJs, { 'accept-encoding': accepted })
    expect([headers['Content-Encoding'], headers.Vary]).toEqual([encoding, 'Accept-Encoding'])
    expect(String(decode(body as Buffer))).toBe(tracker.code)
  })

  test('and each form has its own tag', async () => {
    const tags = await Promise.all(
      ['br', 'gzip', ''].map(
        async accepted => (await get(routes.trackerJs, { 'accept-encoding': accepted })).headers.ETag,
      ),
    )
    expect(new Set(tags).size).toBe(3)
  })
})

describe('a script that the caller has cached', () => {
  test.each([
    ['its tag', (etag: string) => etag],
    ['a list with its weak tag', (etag: string) => `"x", W/${etag}`],
    ['any version', () => '*'],
  ])('is not sent again when If-None-Match names %s', async (_, tags) => {
    const { headers } = await get(routes.trackerJs)
    const again = await get(routes.trackerJs, { 'if-none-match': tags(headers.ETag ?? '') })
    expect([again.status, again.body, again.headers.ETag]).toEqual([304, '', headers.ETag])
  })

  test('is sent again when it has changed', async () => {
    expect((await get(routes.trackerJs, { 'if-none-match': '"old"' })).status).toBe(200)
  })
})

async function readOpenApi(query: HttpRequest['query'] = {}) {
  const { status, body } = await get(routes.openapi, {}, {}, site, query)
  return { status, document: JSON.parse(String(body)), bytes: Buffer.byteLength(String(body)) }
}

test('the OpenAPI document has at most 200 KB without compression, also with a long address', async () => {
  const { document, bytes } = await readOpenApi()
  const addresses = JSON.stringify(document).split(BASE_URL).length - 1
  expect(addresses).toBeGreaterThan(0)
  expect(bytes + addresses * (LONG_ADDRESS_CHARS - BASE_URL.length)).toBeLessThanOrEqual(200 * 1_024)
})

test('?path= and ?tag= leave the named endpoints and what these refer to', async () => {
  const { document, bytes } = await readOpenApi({ path: '/stats,/query', tag: 'Service' })
  expect(Object.keys(document.paths).toSorted()).toEqual([
    '/health',
    '/numbers.md',
    '/openapi.json',
    '/query',
    '/stats',
  ])
  expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(['Analytics', 'Service'])
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
  const references = JSON.stringify(document).matchAll(/#\/components\/(\w+)\/([^"]+)/g)
  for (const [, kind = '', name = ''] of references) expect(document.components[kind]).toHaveProperty([name])
  expect(bytes).toBeLessThan(30_000)
})

test('a path or tag that no endpoint has is refused', async () => {
  const { status, document } = await readOpenApi({ path: '/stat' })
  expect([status, document.error]).toEqual([404, 'NOT_FOUND'])
})

test('the OpenAPI document has the address of this service', async () => {
  const { body } = await get(routes.openapi)
  expect(JSON.parse(String(body)).servers).toEqual([{ url: 'https://a.example' }])
})

test('GET /numbers.md is the page of docs/api without marks and links of the repository', async () => {
  const { status, body, headers } = await get(routes.numbers)
  const text = String(body)
  expect([status, headers['Content-Type']]).toEqual([200, 'text/markdown; charset=utf-8'])
  expect(text).toMatch(/^# What the numbers mean/)
  expect(text).toContain('A session without any interaction is a **bounce**')
  expect(text).toContain('- `$experiment_exposure`')
  expect(text).not.toMatch(/<!--|<a id|\.md\)/)
})

test('the OpenAPI document links it, and the descriptions of its fields name its parts', async () => {
  const { body } = await get(routes.openapi)
  const document = JSON.parse(String(body))
  expect(document.externalDocs.url).toBe('https://a.example/numbers.md')
  const page = String((await get(routes.numbers)).body)
  const parts = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll('/', '').replaceAll(' ', '-'),
  )
  const named = [...String(body).matchAll(/\/numbers\.md#([\w-]+)/g)].map(([, part = '']) => part)
  expect(parts).toEqual(expect.arrayContaining(named))
  expect(new Set(named)).toEqual(new Set(['users', 'sessions', 'bounces', 'count-modes-of-query']))
})
