import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Project } from '#core/projects/project'
import { HUMAN_BROWSER } from '#test/support/browser'
import { BASE_URL, type HttpService } from '#test/support/http-service'
import { newReplay, openSecret } from '#test/support/replays'

/** An event of rrweb, as a test writes it. */
export type TestEvent = { type: number; timestamp: number; data: unknown }

/** Chunks by their index; one that is left out never came. `at`: Unix ms, when the recording begins. */
export type Recording = (at: number) => Map<number, TestEvent[]>

export type StoredReplay = {
  id: string
  secret: string
  startedAt: number
  sessionId: string
  project: Project
}

/** Uploads a recording as a recorder does, ends it, and opens an address of the viewer. */
export async function storeReplay(
  service: HttpService,
  recording: Recording,
  { isFinished = true, project }: { isFinished?: boolean; project?: Project } = {},
): Promise<StoredReplay> {
  const owned = project ?? (await service.createProject())
  const { id, upload, started_at } = await newReplay(service, owned)
  const sender = { ...upload, origin: undefined }
  const chunks = recording(started_at)
  for (const [index, events] of chunks) {
    const gzip = gzipSync(JSON.stringify(events)).toString('base64')
    await service.replays.uploads.addChunk(id, { ...sender, index, gzip })
  }
  const count = Math.max(-1, ...chunks.keys()) + 1
  if (isFinished) await service.replays.uploads.finish(id, { ...sender, chunks: count })
  const secret = await openSecret(service, id)
  return { id, secret, startedAt: started_at, sessionId: upload.session_id, project: owned }
}

/** What must not happen while a replay plays. */
export type Incidents = {
  /** Requests to any address but those of the viewer. */
  requests: string[]
  /** What a policy or a sandbox has stopped, errors of scripts, and dialogs. */
  reports: string[]
}

export type OpenedViewer = { page: Page; incidents: Incidents; asked: string[] }

const OWN_PATHS = /^\/replay\/(viewer|stage|view)(\/|$)/

/**
 * Opens the viewer in a context of its own. The address of the service leads to the service of the test.
 * Every other request fails, and is noted.
 */
export async function openViewer(
  browser: Browser,
  service: HttpService,
  secret: string,
  options: BrowserContextOptions & {
    isPlaying?: boolean
    /** Gives the page a clock that the test moves. */
    hasClock?: boolean
    /** Replaces the script of the document that shows the recording. */
    stage?: string
    /** No chunk is answered before it resolves. */
    chunksWait?: Promise<unknown>
  } = {},
): Promise<OpenedViewer> {
  const { isPlaying = false, hasClock = false, stage, chunksWait, ...contextOptions } = options
  const context = await browser.newContext({
    ...HUMAN_BROWSER,
    reducedMotion: isPlaying ? 'no-preference' : 'reduce',
    ...contextOptions,
  })
  const page = await context.newPage()
  if (hasClock) await page.clock.install()
  const incidents: Incidents = { requests: [], reports: [] }
  const asked: string[] = []
  context.on('page', opened => {
    if (opened !== page) incidents.reports.push(`a window: ${opened.url()}`)
  })
  page.on('dialog', dialog => {
    incidents.reports.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('pageerror', error => incidents.reports.push(`an error: ${error.message}`))
  page.on('console', message => {
    if (/error|warning/.test(message.type()) && !/allow-scripts and allow-same-origin/.test(message.text())) {
      incidents.reports.push(`${message.type()}: ${message.text()}`)
    }
  })
  await context.route('**', async (route, request) => {
    const url = new URL(request.url())
    if (url.origin !== BASE_URL || !OWN_PATHS.test(url.pathname)) {
      incidents.requests.push(request.url())
      return route.abort()
    }
    if (url.pathname === '/replay/view/chunk') await chunksWait
    asked.push(`${request.method()} ${url.pathname}${url.search}`)
    const response = await fetch(`http://127.0.0.1:${service.port}${url.pathname}${url.search}`, {
      method: request.method(),
      headers: { 'content-type': request.headers()['content-type'] ?? '', 'accept-encoding': 'identity' },
      ...(request.method() === 'POST' && { body: request.postData() ?? '' }),
    })
    const body = Buffer.from(await response.arrayBuffer())
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: stage !== undefined && url.pathname.includes('/stage-') ? stage : body,
    })
  })
  await page.goto(`${BASE_URL}/replay/viewer#${secret}`)
  return { page, incidents, asked }
}

/** Resolves when the first frame is shown and the controls work. */
export async function untilReady(page: Page): Promise<void> {
  await page.locator('#play:enabled').waitFor()
}

/** The frame that has the recorded page. */
export function recordedPage(page: Page) {
  return page.frameLocator('#stage').frameLocator('iframe')
}

/** Moves to a time of the replay, ms after its begin, and pauses there. */
export async function seekTo(page: Page, ms: number): Promise<void> {
  await page.locator('#seek').evaluate((slider: HTMLInputElement, value) => {
    slider.value = String(value)
    slider.dispatchEvent(new Event('input', { bubbles: true }))
  }, ms)
}
