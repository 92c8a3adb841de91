import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, beforeEach } from 'vitest'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type RecordingServer, startRecordingServer } from '#test/tracker/recording-server'

/** Start time of the fake clocks of these tests. */
export const NOON = new Date('2026-11-21T12:00:00Z')

/**
 * Opens the Chromium of this process for a test file, and a recording server for each test. Every test has a
 * new user.
 */
export function useTestSite() {
  let browser: Browser
  const openContexts: BrowserContext[] = []
  const site = {
    server: undefined as unknown as RecordingServer,

    /** Creates a browser context with its own storages and cookies, like a new user. */
    async newUser(options: BrowserContextOptions = {}): Promise<BrowserContext> {
      const context = await browser.newContext({ ...HUMAN_BROWSER, ...options })
      openContexts.push(context)
      return context
    },

    /** Opens a tab that collects the errors of its pages. */
    async tab(context?: BrowserContext): Promise<Page & { errors: string[] }> {
      const page = await (context ?? (await site.newUser())).newPage()
      const errors: string[] = []
      page.on('pageerror', error => errors.push(String(error)))
      return Object.assign(page, { errors })
    },

    /** Leaves the page, so that the tracker sends its queue. */
    async leave(page: Page): Promise<void> {
      await page.goto('about:blank')
    },
  }

  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  beforeEach(async () => {
    site.server = await startRecordingServer()
  })
  afterEach(async () => {
    await Promise.all(openContexts.splice(0).map(context => context.close()))
    await site.server.close()
  })
  return site
}
