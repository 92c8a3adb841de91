import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { RECORDER_BUNDLE } from '#replay/build'
import type { Recorder, RecorderSettings } from '#replay/recorder/start-recorder'
import { onceARun } from '#test/setup/once-a-run'

export const SETTINGS: RecorderSettings = {
  preset: 'inputs',
  maskSelectors: ['.private'],
  blockSelectors: ['.secret'],
  ignoreSelectors: [],
  limits: {
    maxBytes: 20_000_000,
    maxDurationMs: 600_000,
    maxNodes: 20_000,
    burstBytes: 1_000_000,
    bytesPerSecond: 25_000,
    pictureMs: 600_000,
  },
}

const ENTRIES = {
  recorder: `export { startRecorder } from './replay/recorder/start-recorder.ts'`,
  /** The library alone, to show what it would record. */
  library: `export { record } from '@rrweb/record'`,
}

/**
 * Returns the minified recorder as a script that defines `window.recorder`. It is built once for all test
 * files of a run.
 */
export async function recorderScript(entry: keyof typeof ENTRIES = 'recorder'): Promise<string> {
  const folder = await onceARun(`replay-${entry}`, target =>
    build({
      stdin: { contents: ENTRIES[entry], resolveDir: process.cwd() },
      ...RECORDER_BUNDLE,
      globalName: 'recorder',
      outfile: join(target, 'recorder.js'),
    }).then(() => {}),
  )
  return readFile(join(folder, 'recorder.js'), 'utf8')
}

/**
 * Opens a page with this HTML under an address with a path and a query. `files`: what else the site has, by
 * path.
 */
export async function openPage(
  browser: Browser,
  html: string,
  path = '/shop',
  files: Record<string, { contentType: string; body: string }> = {},
): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.route('http://shop.test/**', (route, request) => {
    const file = files[new URL(request.url()).pathname]
    if (file) return route.fulfill(file)
    return request.isNavigationRequest()
      ? route.fulfill({ contentType: 'text/html', body: html })
      : route.fulfill({ status: 404, body: '' })
  })
  await page.route('http://elsewhere.test/**', route =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  )
  await page.goto(`http://shop.test${path}`)
  return page
}

/** Waits until the first snapshot has all its parts, which costs the page little while it is recorded. */
export async function untilWhole(page: Page): Promise<void> {
  await page.waitForFunction(
    () => (globalThis as unknown as { recorded: Recorded }).recorded.flushes >= 2,
    undefined,
    { polling: 100, timeout: 180_000 },
  )
}

/** `flushes`: the first one follows a snapshot, the second one its last part. */
type Recorded = { events: string[]; ends: string[]; flushes: number }

/** Starts the recorder in a page. `recorded` reads what it has written so far. */
export async function startRecording(page: Page, settings: Partial<RecorderSettings> = {}) {
  await page.evaluate(await recorderScript())
  await page.evaluate(
    settings => {
      const recorded: Recorded = { events: [], ends: [], flushes: 0 }
      const { startRecorder } = (
        globalThis as unknown as { recorder: typeof import('#replay/recorder/start-recorder') }
      ).recorder
      performance.mark('start')
      const recorder = startRecorder(settings, {
        write: event => recorded.events.push(event),
        flush: () => recorded.flushes++,
        end: reason => recorded.ends.push(reason),
      })
      performance.measure('recorder', 'start')
      Object.assign(globalThis, { recorded, recording: recorder })
    },
    { ...SETTINGS, ...settings },
  )
  return {
    recorded: () => page.evaluate(() => (globalThis as unknown as { recorded: Recorded }).recorded),
    stop: () => page.evaluate(() => (globalThis as unknown as { recording: Recorder }).recording.stop()),
  }
}
