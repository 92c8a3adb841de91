import { describe, expect, test } from 'vitest'
import { exampleEvent, type HttpEvent, type HttpResult } from '#test/support/lambda-events'
import type { Deployed } from './deployed.ts'

/** A request of a browser for a row of the pages. */
function pageEvent(method: string, row: string, path: string, change: Partial<HttpEvent> = {}): HttpEvent {
  return exampleEvent<HttpEvent>('default', event => {
    event.routeKey = `${method} ${row}`
    event.rawPath = path
    event.requestContext.http.method = method
    event.headers.accept = 'text/html'
    Object.assign(event, change)
  })
}

export function pages(deployed: () => Deployed): void {
  describe('the pages', () => {
    const request = (event: HttpEvent) => deployed().service.invoke<HttpResult>('pages', event)

    test('sign the owner in by the link of the owner function, once, with a cookie of this host alone', async () => {
      const { pathname } = new URL(deployed().owner.setup_link)
      const pathParameters = { link: pathname.split('/').at(-1) ?? '' }
      const redeem = pageEvent('POST', '/setup/{link}', pathname, { pathParameters })
      const signedIn = await request(redeem)
      expect([signedIn.statusCode, signedIn.headers.Location]).toEqual([303, '/app'])
      const [cookie = ''] = signedIn.cookies ?? []
      expect(cookie).toMatch(/^__Host-footfall-session=aab_\w+; Path=\/; HttpOnly; SameSite=Lax; Secure; /)
      expect((await request(redeem)).statusCode).toBe(404)

      const cookies = [cookie.split(';')[0] ?? '']
      const account = await request(pageEvent('GET', '/settings', '/settings', { cookies }))
      expect([account.statusCode, account.body?.includes(deployed().owner.account_id)]).toEqual([200, true])
      const stranger = await request(pageEvent('GET', '/settings', '/settings'))
      expect([stranger.statusCode, stranger.headers.Location]).toEqual([303, '/auth/sign-in?to=%2Fsettings'])
    })

    test('tell a browser and an agent what the service is', async () => {
      const html = await request(pageEvent('GET', '/', '/'))
      expect(html.headers['Content-Type']).toBe('text/html; charset=utf-8')
      const text = await request(pageEvent('GET', '/llms.txt', '/llms.txt'))
      expect(text.headers['Content-Type']).toBe('text/plain; charset=utf-8')
      expect(text.body).toContain('/agent/auth')
    })

    test('take no payments under the profile `own`', async () => {
      const webhook = await request(
        pageEvent('POST', '/webhooks/payment', '/webhooks/payment', { body: '{}' }),
      )
      expect(webhook.statusCode).toBe(404)
    })
  })
}
