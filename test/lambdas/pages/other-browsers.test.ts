import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionCookie } from '#lambdas/http/cookies'
import { openPagesService, type PagesService } from '#test/support/pages-service'

let service: PagesService
beforeAll(async () => {
  service = await openPagesService()
})
afterAll(() => service.close())

async function signIn(): Promise<string> {
  return cookieOf((await service.browserSessions.create(service.owner.id)).token)
}

function cookieOf(token: string): string {
  return sessionCookie(service.baseUrl).set(token).split(';')[0] ?? ''
}

function visit(Cookie: string, path = '/settings', form?: Record<string, string>): Promise<Response> {
  const headers = { Accept: 'text/html', Cookie }
  if (form === undefined) return fetch(service.baseUrl + path, { headers, redirect: 'manual' })
  return fetch(service.baseUrl + path, {
    ...{ method: 'POST', redirect: 'manual', body: new URLSearchParams(form).toString() },
    headers: {
      ...headers,
      Origin: service.baseUrl,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
  })
}

async function formOf(cookie: string): Promise<{ action: string; csrf: string }> {
  const page = await (await visit(cookie)).text()
  const [, action = '', csrf = ''] =
    /action="(\/settings\/sign-out-others)"><input [^>]*name="csrf" value="([^"]+)"/.exec(page) ?? []
  return { action, csrf }
}

test('the button on the page of the account signs out all other browsers, and not this one', async () => {
  const [own, other] = [await signIn(), await signIn()]
  const { action, csrf } = await formOf(own)
  const answer = await visit(own, action, { csrf })
  expect([answer.status, await answer.text()]).toEqual([
    200,
    expect.stringContaining('Other browsers are signed out'),
  ])
  const next = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  expect((await visit(next)).status).toBe(200)
  for (const old of [own, other]) {
    const { status, headers } = await visit(old)
    expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/auth/sign-in')])
  }
  // Who signs in later stays.
  expect((await visit(await signIn())).status).toBe(200)
})

test('nothing happens without a session, with a wrong token of the form, and with a body that is too large', async () => {
  const [own, other] = [await signIn(), await signIn()]
  const { action, csrf } = await formOf(own)
  const statuses = [
    await visit('', action, { csrf }),
    await visit(own, action, { csrf: 'x' }),
    await visit(other, action, { csrf }),
    await visit(own, action, { csrf, more: 'x'.repeat(70_000) }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([401, 403, 403, 413])
  expect((await visit(other)).status).toBe(200)
})
