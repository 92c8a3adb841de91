import { expect, onTestFinished, test } from 'vitest'
import { openPagesService, type PagesServiceOptions } from '#test/support/pages-service'

/** What the pages say about the link that always works for whoever runs the service. */

async function signInPage(options: PagesServiceOptions): Promise<string> {
  const service = await openPagesService(options)
  onTestFinished(() => service.close())
  return (await fetch(`${service.baseUrl}/auth/sign-in`)).text()
}

test('without a provider and passkeys the page of sign-in says that a link is the only way, how to get one, and why there are no passkeys', async () => {
  const page = await signInPage({ hasEmbedded: false, publicUrl: 'http://192.168.1.9:8787' })
  expect(page).toContain(
    'Browsers have passkeys for https with a host name, or for localhost, and this address is http://192.168.1.9:8787. Use a link',
  )
  expect(page).not.toContain('/auth/passkey')
  expect(page).toContain('a link is the only way to sign in')
  expect(page).toContain('run <code>footfall admin link</code> on the machine of this service')
  expect(page).not.toContain('/auth/start/')
})

test('without a provider a passkey is the first way, and the page says how the first one comes', async () => {
  const page = await signInPage({ hasEmbedded: false })
  expect(page).toContain('<a class="button" rel="nofollow" href="/auth/passkey?to=%2Fsettings">')
  expect(page).toContain('after the first sign-in another way')
  expect(page).toContain('run <code>footfall admin link</code>')
  expect(page).not.toContain('only way')
})

test('with a provider the page names it first, and the link too', async () => {
  const page = await signInPage({})
  expect(page.indexOf('Continue with this machine')).toBeLessThan(page.indexOf('footfall admin link'))
  expect(page).toContain('Continue with this machine')
  expect(page).not.toContain('only way')
})

test('a link that is used up says how to get another', async () => {
  const service = await openPagesService()
  onTestFinished(() => service.close())
  const response = await fetch(`${service.baseUrl}/setup/none`, { headers: { Accept: 'application/json' } })
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    404,
    expect.stringContaining('Use `footfall admin link` on the machine of this service'),
  ])
})
