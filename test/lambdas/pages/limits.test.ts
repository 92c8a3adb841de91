import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPagesService } from '#test/support/pages-service'

let service: Awaited<ReturnType<typeof openPagesService>>
beforeAll(async () => {
  service = await openPagesService({ profile: 'hosted' })
})
afterAll(() => service.close())

const start = (accept: string) =>
  fetch(`${service.baseUrl}/auth/start/idp`, { redirect: 'manual', headers: { Accept: accept } })

test('an address starts 20 sign-ins in 10 minutes; then page and JSON say when it may go on', async () => {
  const statuses = new Set<number>()
  for (let i = 0; i < 20; i++) statuses.add((await start('text/html')).status)
  expect([...statuses]).toEqual([303])
  for (const accept of ['text/html', 'application/json']) {
    const { status, headers } = await start(accept)
    expect([status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
      429,
      '20',
      '0',
    ])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(500)
    expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/)
  }
})

test('a form without a session gets 401 with WWW-Authenticate, as page and as JSON', async () => {
  for (const accept of ['text/html', 'application/json']) {
    const { status, headers } = await fetch(`${service.baseUrl}/settings/api-key`, {
      method: 'POST',
      headers: { Accept: accept },
    })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${service.baseUrl}/.well-known/oauth-protected-resource"`,
    )
  }
})
