import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions } from 'playwright-core'
import type { Chromium } from '#providers/chromium/unpack-chromium'
import { unpackChromium } from '#test/setup/unpack-chromium'
import { HUMAN_BROWSER_VERSION, HUMAN_USER_AGENT } from './user-agents.ts'

/** Ends the wait for a browser or a page that hangs. A busy machine must not reach it. */
const HANG_TIMEOUT_MS = 120_000

/** Options of a person's browser context: `browser.newContext({ ...HUMAN_BROWSER, … })`. */
export const HUMAN_BROWSER = {
  userAgent: HUMAN_USER_AGENT,
  // Headless Chromium also names itself here, and whoever does is a bot.
  extraHTTPHeaders: { 'Sec-CH-UA': `"Chromium";v="${HUMAN_BROWSER_VERSION}"` },
  viewport: { width: 1280, height: 800 },
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
} satisfies BrowserContextOptions

/** A service outside of loopback that pages may reach. */
export type AllowedService = {
  url: string
  /**
   * A port of this machine that takes its requests, with a self-signed certificate. Null: the name in `url`
   * resolves.
   */
  tlsPort: number | null
}

/**
 * A Chromium with a back/forward cache, or null. The one of npm has none, because it is the headless shell;
 * Debian's package `chromium` has it.
 */
export const CACHING_CHROMIUM =
  [process.env.CHROMIUM_PATH, '/usr/bin/chromium'].find(path => path && existsSync(path)) ?? null

/** Starts CACHING_CHROMIUM, with its back/forward cache on. Playwright turns it off. */
export function launchCachingBrowser(): Promise<Browser> {
  if (CACHING_CHROMIUM === null) throw new Error('No Chromium with a back/forward cache is installed.')
  const options = { ignoreDefaultArgs: ['--disable-back-forward-cache'] }
  return launch({ executable: CACHING_CHROMIUM, env: {} }, undefined, options)
}

/**
 * Starts Chromium, as root or not, with web security on. It reaches only loopback and `allowed`: every other
 * name and address goes to a proxy that does not exist.
 */
async function launch(
  { executable, env }: Chromium,
  allowed?: AllowedService,
  options: LaunchOptions = {},
): Promise<Browser> {
  const host = allowed === undefined ? [] : [new URL(allowed.url).hostname]
  const tlsMapping = allowed?.tlsPort ? [`MAP ${host[0]}:443 127.0.0.1:${allowed.tlsPort}`] : []
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const browser = await chromium.launch({
    ...options,
    executablePath: executable,
    timeout: HANG_TIMEOUT_MS,
    env: { ...inherited, ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      // The user agent of a context does not hold in `pagehide`. Without this the last requests of a page are
      // those of a bot.
      `--user-agent=${HUMAN_USER_AGENT}`,
      '--proxy-server=http://127.0.0.1:9',
      // Chromium reaches loopback without a proxy by default. The invented hosts of tests need a rule.
      `--proxy-bypass-list=${['*.test', ...host].join(';')}`,
      `--host-resolver-rules=${['MAP *.test 127.0.0.1', ...tlsMapping].join(',')}`,
      ...(tlsMapping.length > 0 ? ['--ignore-certificate-errors'] : []),
    ],
  })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async contextOptions => {
    const context = await newContext(contextOptions)
    context.setDefaultTimeout(HANG_TIMEOUT_MS)
    return context
  }
  return browser
}

const SHARED = Symbol.for('footfall.sharedBrowsers')
const LOOPBACK = /^(localhost|127\.0\.0\.1)$/

/**
 * Returns the Chromium of this worker process, which starts with the first call and ends with the process.
 * For an `allowed` service outside of loopback it is another one. Test files that share a process share it,
 * so each test opens a context of its own and closes it. The workers do not share one: a trace is of a whole
 * browser, and a page that crashes its browser must not fail the tests of other workers.
 */
export async function sharedBrowser(allowed?: AllowedService): Promise<Browser> {
  const outside = allowed && !(allowed.tlsPort === null && LOOPBACK.test(new URL(allowed.url).hostname))
  const key = outside ? JSON.stringify(allowed) : ''
  // A variable of this module would be lost when a test resets the modules.
  const process = globalThis as { [SHARED]?: Map<string, Promise<Browser>> }
  process[SHARED] ??= new Map()
  const browsers = process[SHARED]
  const known = await browsers.get(key)?.catch(() => null)
  if (known?.isConnected()) return known
  const started = unpackChromium().then(chromium => launch(chromium, outside ? allowed : undefined))
  browsers.set(key, started)
  return started
}
