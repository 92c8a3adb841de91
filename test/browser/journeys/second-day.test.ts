import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askAdminSocket } from '#local/access/ask-admin-socket'
import { makeBackup } from '#local/backup/make-backup'
import { restoreCopy } from '#local/backup/restore-copy'
import { addAuthenticator, type StoredPasskey } from '#test/browser/pages/authenticator'
import { sharedBrowser } from '#test/support/browser'
import { keepPort } from '#test/support/keep-port'
import { cleanUp, newFolder, startService } from '#test/support/service-process'
import { startTlsProxy } from '#test/support/tls-proxy'

/**
 * Sign-in on a server from the first day to the next: a public address behind TLS, no provider, and nobody
 * reads the log again. The second day is on a copy of the data.
 */

let proxy: Awaited<ReturnType<typeof startTlsProxy>>
let browser: Browser
let port: number
let baseUrl: string

beforeAll(async () => {
  port = await keepPort()
  proxy = await startTlsProxy(port)
  baseUrl = `https://stats.test:${proxy.port}`
  browser = await sharedBrowser()
})
afterAll(async () => {
  proxy?.close()
  await cleanUp()
})

const start = (dataDir: string) =>
  startService({ dataDir, port, env: { BASE_URL: baseUrl, TRUSTED_PROXIES: '127.0.0.1' } })

/** A browser that has not been here before. */
async function device<T>(passkeys: readonly StoredPasskey[], run: (page: Page) => Promise<T>) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  try {
    const page = await context.newPage()
    const authenticator = await addAuthenticator(page, passkeys)
    const result = await run(page)
    return { result, passkeys: await authenticator.passkeys() }
  } finally {
    await context.close()
  }
}

const accountOf = (page: Page) => page.getByRole('definition').nth(2).textContent()

/** Follows a link that signs in, and adds the passkey that the page asks for. Returns the account's id. */
async function firstDay(page: Page, link: string) {
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  await page.getByText('not used yet').waitFor()
  await page.getByRole('link', { name: 'Account' }).click()
  return accountOf(page)
}

test('the owner and a person whom he admits sign in by a link once, and by their passkeys on the second day', async () => {
  const dataDir = newFolder()
  const first = await start(dataDir)
  const [ownerLink = ''] = /https:\S+\/setup\/\S+/.exec(first.output()) ?? []
  const owner = await device([], page => firstDay(page, ownerLink))
  const answer = await askAdminSocket(dataDir, '/link?email=Ada@example.com', 10_000)
  const ada = await device([], page => firstDay(page, JSON.parse(answer ?? '{}').link))
  expect(ada.result).not.toBe(owner.result)
  const backups = newFolder()
  await makeBackup({ dataDir, backups, keep: 7, key: null, readCounts: async () => null })
  await first.stop()

  const copied = join(newFolder(), 'data')
  await restoreCopy({ from: backups, dataDir: copied, key: null })
  await start(copied)
  for (const { result, passkeys } of [owner, ada]) {
    await device(passkeys, async page => {
      await page.goto(`${baseUrl}/settings`)
      await page.getByRole('link', { name: 'Continue with a passkey' }).click()
      await page.waitForURL('**/settings')
      expect(await accountOf(page)).toBe(result)
    })
  }
  const again = await askAdminSocket(copied, '/link?email=ada@example.com', 10_000)
  await device([], async page => {
    await page.goto(JSON.parse(again ?? '{}').link)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/app*')
    await page.goto(`${baseUrl}/settings`)
    expect(await accountOf(page), 'the same account, whatever its case').toBe(ada.result)
  })
})
