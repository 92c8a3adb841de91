import { createHash } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type Deployment, openDeployment } from '#test/support/deployment'

/** What anybody can ask of the service, and how it says no. */

let service: Deployment
beforeAll(async () => {
  service = await openDeployment()
})
afterAll(() => service?.close())

test('it says that it is well', async () => {
  const response = await fetch(`${service.baseUrl}/health`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok', service: 'footfall' }])
})

test('the document describes every route, under the address of the service', async () => {
  const document = await service.callJson<{ servers: { url: string }[]; paths: Record<string, unknown> }>(
    '/openapi.json',
  )
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  expect(document.servers).toEqual([expect.objectContaining({ url: service.publicUrl })])
  expect(Object.keys(document.paths).toSorted()).toEqual(
    [...new Set(Object.values(routes).map(({ path }) => path))].toSorted(),
  )
})

test('the tracker comes with its checksum, may be kept, and is not sent twice', async () => {
  const response = await fetch(`${service.baseUrl}/tracker.js`)
  const code = await response.text()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
  expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(response.headers.get('x-tracker-sha256')).toBe(createHash('sha256').update(code).digest('hex'))
  const etag = response.headers.get('etag') ?? ''
  const again = await fetch(`${service.baseUrl}/tracker.js`, { headers: { 'If-None-Match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const source = await (await fetch(`${service.baseUrl}/tracker.src.js`)).text()
  expect(source.length).toBeGreaterThan(code.length)
})

test('a page of any origin may call it', async () => {
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
  const refused = await fetch(`${service.baseUrl}/stats`, { headers: { Origin: headers.Origin } })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
})

describe('a credential is needed, and a good one', () => {
  test.each([
    ['none', {}, ''],
    ['an unknown key', { 'X-API-Key': 'aak_0000000000000000' }, ''],
    ['something else than a key', { 'X-API-Key': 'hello' }, ''],
    ['an unknown key in the address', {}, '?key=aak_0000000000000000'],
    ['an unknown session', { Authorization: 'Bearer aas_0000' }, ''],
  ])('%s', async (_, headers, query) => {
    const response = await fetch(`${service.baseUrl}/projects${query}`, {
      headers: headers as Record<string, string>,
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain(
      `resource_metadata="${service.publicUrl}/.well-known/oauth-protected-resource"`,
    )
    expect(await response.json()).toMatchObject({ error: 'AUTH_REQUIRED' })
  })

  test('the key may stand in the address', async () => {
    const response = await fetch(`${service.baseUrl}/projects?key=${service.apiKey}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ has_api_key: true })
  })
})

describe('what cannot be asked is refused with its reason', () => {
  test.each([
    ['no such path', 'GET', '/nothing/here', 404, 'NOT_FOUND'],
    ['no such method', 'DELETE', '/stats', 405, 'METHOD_NOT_ALLOWED'],
    ['no project', 'GET', '/stats', 400, 'PROJECT_REQUIRED'],
    ['an unknown project', 'GET', '/stats?project=nobody-has-this', 404, 'NOT_FOUND'],
    ['no body', 'POST', '/projects', 400, 'INVALID_BODY'],
  ])('%s', async (_, method, path, status, error) => {
    const response = await service.call(path, { method })
    expect([response.status, await response.json()]).toEqual([status, { error, message: expect.any(String) }])
  })

  test.each([
    ['since in an unknown form', '/stats', 'since=7h', 'INVALID_SINCE'],
    ['since in the future', '/events', 'since=2999-01-01', 'INVALID_SINCE'],
    ['groups that there are not', '/stats', 'groupBy=minute', 'MISSING_FIELDS'],
    ['more rows than a page has', '/events', 'limit=100000', 'MISSING_FIELDS'],
  ])('%s', async (_, path, query, error) => {
    const { id } = await service.createProject('asked')
    const response = await service.call(`${path}?project=${id}&${query}`)
    expect([response.status, await response.json()]).toEqual([400, { error, message: expect.any(String) }])
  })
})
