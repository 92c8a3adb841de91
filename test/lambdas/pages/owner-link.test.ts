import { expect, onTestFinished, test } from 'vitest'
import { openPagesService } from '#test/support/pages-service'

/** What the pages say about the link that always works for whoever runs the service. */

async function signInPage(hasEmbedded: boolean): Promise<string> {
  const service = await openPagesService({ hasEmbedded })
  onTestFinished(() => service.close())
  return (await fetch(`${service.baseUrl}/auth/sign-in`)).text()
}

test('without a provider the page of sign-in says that a link is the only way, and how to get one', async () => {
  const page = await signInPage(false)
  expect(page).toContain('a link is the only way to sign in')
  expect(page).toContain('run <code>footfall admin link</code> on the machine of this service')
  expect(page).not.toContain('/auth/start/')
})

test('with a provider the page names it first, and the link too', async () => {
  const page = await signInPage(true)
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
