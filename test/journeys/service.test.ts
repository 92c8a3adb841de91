import { createHash } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpointLines } from '#schemas/endpoint-lines'
import { documentedRoutes } from '#schemas/routes'
import { type Deployment, sharedDeployment } from '#test/support/deployment'

/** Public paths of the service, and its responses to wrong requests. */

let service: Deployment
beforeAll(async () => {
  service = await sharedDeployment()
})
afterAll(() => service?.close())

test('GET /health has the status ok', async () => {
  const response = await fetch(`${service.baseUrl}/health`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok', service: 'footfall' }])
})

test('the OpenAPI document describes every route of the API and names the address of the service', async () => {
  const document = await service.callJson<{ servers: { url: string }[]; paths: Record<string, unknown> }>(
    '/openapi.json',
  )
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  expect(document.servers).toEqual([expect.objectContaining({ url: service.publicUrl })])
  // Pages for people are not part of the API.
  const paths = documentedRoutes(service.mayHaveDemo).map(([, { path }]) => path)
  expect(Object.keys(document.paths).toSorted()).toEqual([...new Set(paths)].toSorted())
})

test.each(['tracker.js', 'tracker.core.js'])(
  '/%s has a checksum and cache headers, and a request with its ETag gets 304',
  async script => {
    const response = await fetch(`${service.baseUrl}/${script}`)
    const code = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/javascript; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(response.headers.get('x-tracker-sha256')).toBe(createHash('sha256').update(code).digest('hex'))
    const etag = response.headers.get('etag') ?? ''
    const secondResponse = await fetch(`${service.baseUrl}/${script}`, { headers: { 'If-None-Match': etag } })
    expect([secondResponse.status, await secondResponse.text()]).toEqual([304, ''])
    const source = await (await fetch(`${service.baseUrl}/tracker.src.js`)).text()
    expect(source.length).toBeGreaterThan(code.length)
  },
)

test('CORS allows requests from every origin', async () => {
  const headers = {
    Origin: 'https://shop.example.com',
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type,x-api-key',
  }
  const preflight = await fetch(`${service.baseUrl}/track`, { method: 'OPTIONS', headers })
  expect(preflight.status).toBe(204)
  const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`)?.toLowerCase() ?? ''
  expect(allowed('origin')).toBe('*')
  expect(allowed('methods')).toContain('post')
  expect(allowed('headers')).toContain('x-api-key')
  const rejected = await fetch(`${service.baseUrl}/stats`, { headers: { Origin: headers.Origin } })
  expect([rejected.status, rejected.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
})

describe('a request for account data', () => {
  test.each([
    ['no credential', {}, ''],
    ['an unknown key', { 'X-API-Key': 'aak_0000000000000000' }, ''],
    ['a header that is not a key', { 'X-API-Key': 'hello' }, ''],
    ['an unknown key in the query', {}, '?key=aak_0000000000000000'],
    ['an unknown agent session', { Authorization: 'Bearer aas_0000' }, ''],
  ])('with %s gets 401 and the address of the resource metadata', async (_, headers, query) => {
    const response = await fetch(`${service.baseUrl}/projects${query}`, {
      headers: headers as Record<string, string>,
    })
    expect(response.status).toBe(401)
    const resource_metadata = `${service.publicUrl}/.well-known/oauth-protected-resource`
    // API Gateway renames the header.
    const challenge = ['www-authenticate', 'x-amzn-remapped-www-authenticate']
      .map(name => response.headers.get(name))
      .join()
    expect(challenge).toContain(`resource_metadata="${resource_metadata}"`)
    expect(await response.json()).toMatchObject({ error: 'AUTH_REQUIRED', resource_metadata })
  })

  test('with the API key in the query succeeds', async () => {
    const response = await fetch(`${service.baseUrl}/projects?key=${service.apiKey}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ has_api_key: true })
  })
})

describe('a wrong request gets an error code and a message:', () => {
  test.each([
    ['an unknown path', 'GET', '/nothing/here', 404, 'NOT_FOUND'],
    ['a method that the path does not have', 'DELETE', '/stats', 405, 'METHOD_NOT_ALLOWED'],
    ['a report without a project', 'GET', '/stats', 400, 'PROJECT_REQUIRED'],
    ['an unknown project', 'GET', '/stats?project=nobody-has-this', 404, 'NOT_FOUND'],
    ['a creation without a body', 'POST', '/projects', 400, 'INVALID_BODY'],
  ])('%s', async (_, method, path, status, error) => {
    const response = await service.call(path, { method })
    expect([response.status, await response.json()]).toEqual([status, { error, message: expect.any(String) }])
  })

  test.each([
    ['`since` in an unknown format', '/stats', 'since=7h', 'INVALID_SINCE'],
    ['`since` in the future', '/events', 'since=2999-01-01', 'INVALID_SINCE'],
    ['an unknown `groupBy`', '/stats', 'groupBy=minute', 'MISSING_FIELDS'],
    ['`limit` above the maximum', '/events', 'limit=100000', 'MISSING_FIELDS'],
  ])('%s', async (_, path, query, error) => {
    const { id } = await service.createProject('wrong')
    const response = await service.call(`${path}?project=${id}&${query}`)
    expect([response.status, await response.json()]).toEqual([400, { error, message: expect.any(String) }])
  })
})

test('/llms.txt lists every endpoint within 8 KB, also with a long address', async () => {
  const text = await (await fetch(`${service.baseUrl}/llms.txt`)).text()
  expect(text).toContain(service.publicUrl)
  // The address that AWS gives to an API has 57 characters.
  const withLongAddress = text.replaceAll(service.publicUrl, 'x'.repeat(64))
  expect(Buffer.byteLength(withLongAddress)).toBeLessThanOrEqual(8 * 1_024)
  for (const { lines } of endpointLines(service.mayHaveDemo))
    for (const line of lines) expect(text).toContain(line)
})
