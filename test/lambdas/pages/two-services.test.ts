import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionCookie } from '#lambdas/http/cookies'
import { openPagesService, type PagesService } from '#test/support/pages-service'

/**
 * Two services on two ports of localhost: the browser sends the cookies of both to both (docs/sign-in.md,
 * Cookies and forms).
 */

let services: [PagesService, PagesService]
beforeAll(async () => {
  services = await Promise.all([openPagesService(), openPagesService()])
})
afterAll(() => Promise.all(services.map(service => service.close())))

/** What a browser keeps that has signed in to the services, by name. */
type Jar = Map<string, string>

async function signInToBoth(): Promise<{ jar: Jar; tokens: string[] }> {
  const jar: Jar = new Map()
  const tokens: string[] = []
  for (const { browserSessions, owner, baseUrl } of services) {
    const { token } = await browserSessions.create(owner.id)
    tokens.push(token)
    keep(jar, [sessionCookie(baseUrl).set(token)])
  }
  return { jar, tokens }
}

function keep(jar: Jar, cookies: readonly string[]): void {
  for (const cookie of cookies) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
}

async function visit(service: PagesService, jar: Jar, path = '/settings', form?: Record<string, string>) {
  const response = await fetch(service.baseUrl + path, {
    method: form === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: {
      Accept: 'text/html',
      Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
      ...(form !== undefined && {
        Origin: service.baseUrl,
        'Content-Type': 'application/x-www-form-urlencoded',
      }),
    },
    ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
  })
  keep(jar, response.headers.getSetCookie())
  return { status: response.status, text: await response.text() }
}

test('a browser is signed in to both, and signing out of one leaves the other', async () => {
  const { jar } = await signInToBoth()
  const [one, two] = services
  const page = await visit(one, jar)
  expect([page.status, (await visit(two, jar)).status]).toEqual([200, 200])
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  expect((await visit(one, jar, '/auth/logout', { csrf })).status).toBe(200)
  expect((await visit(one, jar)).status).toBe(303)
  expect((await visit(two, jar)).status).toBe(200)
})

test('neither takes the value of the other, under any of the names', async () => {
  const { tokens } = await signInToBoth()
  for (const [i, service] of services.entries()) {
    const foreign = tokens[1 - i] ?? ''
    const jar: Jar = new Map()
    for (const { baseUrl } of services) keep(jar, [sessionCookie(baseUrl).set(foreign)])
    expect((await visit(service, jar)).status).toBe(303)
  }
})

test('a service on another port that sets our cookie signs nobody in', async () => {
  const [service] = services
  const jar: Jar = new Map()
  keep(jar, [sessionCookie(service.baseUrl).set(`aab_${'0'.repeat(80)}`)])
  expect((await visit(service, jar)).status).toBe(303)
})
