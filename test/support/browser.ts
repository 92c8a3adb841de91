import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { unpackChromium } from './unpack-chromium.ts'

/** A desktop Chrome as people use it: headless Chromium's own user agent is one of a bot. */
export const HUMAN_USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36'

/** How a visitor's context is opened: `browser.newContext({ ...VISITOR, … })`. */
export const VISITOR = {
  userAgent: HUMAN_USER_AGENT,
  viewport: { width: 1280, height: 800 },
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
} satisfies BrowserContextOptions

/** A service outside of loopback that pages may reach. */
export type Reached = {
  url: string
  /** The port of this machine that stands for it, with a certificate that nobody knows; null: it is where it says. */
  tlsPort: number | null
}

/**
 * Starts Chromium, as root or not, with web security on. It reaches loopback and `reached` only: every other name and
 * address goes to a proxy that is not there. One for a test file; close it in afterAll.
 */
export async function launchBrowser(reached?: Reached): Promise<Browser> {
  const host = reached === undefined ? [] : [new URL(reached.url).hostname]
  const standIn = reached?.tlsPort ? [`MAP ${host[0]}:443 127.0.0.1:${reached.tlsPort}`] : []
  const { executable, env } = await unpackChromium()
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  return chromium.launch({
    executablePath: executable,
    env: { ...inherited, ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--proxy-server=http://127.0.0.1:9',
      // Loopback without a proxy is Chromium's default, but a made-up host of a test may stand for it as well.
      `--proxy-bypass-list=${['*.test', ...host].join(';')}`,
      `--host-resolver-rules=${['MAP *.test 127.0.0.1', ...standIn].join(',')}`,
      ...(standIn.length > 0 ? ['--ignore-certificate-errors'] : []),
    ],
  })
}
