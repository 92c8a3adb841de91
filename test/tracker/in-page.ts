import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { HUMAN_BROWSER, launchBrowser } from '../support/browser.ts'
import { type RecordingServer, startRecordingServer } from './recording-server.ts'

/** A moment at which the fake clocks of these tests begin. */
export const NOON = new Date('2026-11-21T12:00:00Z')

/** Chromium and a recording server for the tests of one file; each test gets a new visitor. */
export function inPage() {
  let browser: Browser
  const open: BrowserContext[] = []
  const here = {
    server: undefined as unknown as RecordingServer,

    /** A visitor: storages and cookies of their own. */
    async visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
      const context = await browser.newContext({ ...HUMAN_BROWSER, ...options })
      context.setDefaultTimeout(60_000)
      open.push(context)
      return context
    },

    /** A tab that collects the errors its pages throw. */
    async tab(context?: BrowserContext): Promise<Page & { thrown: string[] }> {
      const page = await (context ?? (await here.visitor())).newPage()
      const thrown: string[] = []
      page.on('pageerror', error => thrown.push(String(error)))
      return Object.assign(page, { thrown })
    },

    /** Leaves the page, which makes the tracker send what waits. */
    async leave(page: Page): Promise<void> {
      await page.goto('about:blank')
    },
  }

  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
  })
  beforeEach(async () => {
    here.server = await startRecordingServer()
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map(context => context.close()))
    await here.server.close()
  })
  return here
}
