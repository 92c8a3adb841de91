import { describe, expect, test } from 'vitest'
import { usedAddress } from '#local/http/used-address'
import { routes } from '#schemas/routes'
import { openHttpService } from '#test/support/http-service'
import { openMcpService, textOf } from '#test/support/mcp-service'

describe('the address that a caller has used', () => {
  test.each([
    ['the name and port of the header Host', { host: 'stats.local:9000' }, 'http://stats.local:9000'],
    ['an IPv6 address', { host: '[::1]:9000' }, 'http://[::1]:9000'],
    ['a name without a port, in lower case', { host: 'Stats.Example.com' }, 'http://stats.example.com'],
    [
      'not what a caller says about a proxy',
      { host: 'a.local:1', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      'http://a.local:1',
    ],
  ])('is %s', (_, headers, address) => {
    expect(usedAddress(headers, false)).toBe(address)
  })

  test.each([
    ['what a trusted proxy says', { 'x-forwarded-host': 'a.example', 'x-forwarded-proto': 'https' }],
    [
      'what the nearest of several says',
      { 'x-forwarded-host': 'evil, a.example', 'x-forwarded-proto': 'http, HTTPS' },
    ],
    ['the host that a proxy has passed on', { host: 'a.example', 'x-forwarded-proto': 'https' }],
  ])('is %s', (_, headers) => {
    expect(usedAddress({ host: 'a.example', ...headers }, true)).toBe('https://a.example')
  })

  test.each([
    undefined,
    '',
    'a"><script>',
    "a';rm -rf",
    'a.example/path',
    'user@evil.example',
    'a b',
    'a:99999',
    'a:',
    '$(id)',
    '-a',
    'a\nb',
    `${'a'.repeat(300)}.example`,
  ])('is unknown where Host is %o', host => {
    expect(usedAddress({ host }, false)).toBeUndefined()
  })
})

test('examples show the address that the caller used, and responses that a cache may keep do not', async () => {
  const service = await openHttpService({ tellsAddress: true })
  const used = `http://127.0.0.1:${service.port}`
  const { body, headers } = await service.call(routes.createProject, { body: { name: 'behind-a-port' } })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body.snippet).toContain(`src="${used}/tracker.js"`)
  expect(body.api_example).toContain(`${used}/stats`)
  const link = await service.call(routes.createShareLink, { id: String(body.id), body: {} })
  expect(link.body.url).toMatch(new RegExp(`^${used}/share/`))
  for (const route of [routes.openapi, routes.authDocument, routes.protectedResource]) {
    expect((await service.call(route, { key: null })).text).not.toContain(used)
  }
  await service.close()
})

test('tools of an assistant name it too, and without it the address of the settings stands there', async () => {
  const check = async (tellsAddress: boolean) => {
    const service = await openMcpService({ tellsAddress })
    const { name } = await service.createProject()
    const result = await (await service.connect()).callTool({ name: 'check', arguments: { project: name } })
    await service.close()
    return [textOf(result), `http://127.0.0.1:${service.port}/tracker.js`] as const
  }
  const [told, used] = await check(true)
  expect(told).toContain(used)
  const [silent, other] = await check(false)
  expect(silent).not.toContain(other)
  expect(silent).toContain('https://footfall.example/tracker.js')
})
