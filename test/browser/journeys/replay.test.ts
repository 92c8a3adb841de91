import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type Deployment, type NewProject, sharedDeployment } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'

/** A replay from the page of a visitor to the viewer, and until no byte of it is left. */

let service: Deployment
let browser: Browser
let server: Server
let html = ''

beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html)
  }).listen(0, '127.0.0.1')
  const listening = once(server, 'listening')
  service = await sharedDeployment()
  browser = await sharedBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
  await listening
})

afterAll(async () => {
  server?.closeAllConnections()
  server?.close()
  await service?.close()
})

/** An address reads the events 60 times. */
const RELOADS = { everyMs: 10_000 }

type Listed = {
  replays: { id: string; status: string; has_full_snapshot: boolean; analytics_session_id: string }[]
}
type Viewed = { replay: { id: string; chunks: { index: number }[] } }
type Event = { type: number; data: { source?: number; text?: string } }

const list = ({ id }: NewProject) => service.callJson<Listed>(`/replays?project=${id}`)

async function newPage(): Promise<Page> {
  const context = await browser.newContext(HUMAN_BROWSER)
  return context.newPage()
}

/**
 * The steps of a visitor: reads, types a name, presses a button that shows it, and leaves. Returns the page,
 * whose browser may still be sending the end of the recording: close it when the service has it.
 */
async function visit(project: NewProject): Promise<Page> {
  const page = await newPage()
  await page.goto(`http://replay-shop.test:${(server.address() as AddressInfo).port}/shoes`)
  await eventually(async () => expect((await list(project)).replays).toHaveLength(1))
  await page.fill('#name', 'Ada Lovelace')
  await page.click('button')
  await page.goto('about:blank')
  return page
}

test('a visit is recorded, listed, watched with its events, and gone after its deletion', async () => {
  const project = await service.createProject('replayed')
  await service.callJson('/replays/settings', {
    method: 'PUT',
    body: { project: project.id, enabled: true },
  })
  html = `<!doctype html><html><head><title>Shoes</title>${project.snippet}
    <script defer src="${service.publicUrl}/replay.js"></script></head>
    <body><h1>Blue shoes</h1><input id="name"><button onclick="document.querySelector('p').textContent = 'In your cart: ' + document.querySelector('#name').value">Buy</button><p></p></body></html>`
  const visitor = await visit(project)
  await service.waitForEvents(project, 1)
  const replay = await eventually(async () => {
    const [first, ...others] = (await list(project)).replays
    expect([first?.status, first?.has_full_snapshot, others]).toEqual(['complete', true, []])
    return first!
  })
  await visitor.context().close()

  const { viewer_url } = await service.callJson<{ viewer_url: string }>(`/replays/${replay.id}/open`, {
    body: {},
  })
  expect(viewer_url).toMatch(new RegExp(`^${service.publicUrl}/replay/viewer#aav_[0-9a-f]{64}$`))
  const secret = viewer_url.split('#')[1]

  // What the viewer reads has the page and no name.
  const { replay: viewed } = await service.callJson<Viewed>('/replay/view', { body: { secret } })
  expect(viewed.chunks.length).toBeGreaterThan(0)
  const chunks: Event[] = []
  for (const { index } of viewed.chunks)
    chunks.push(...(await service.callJson<Event[]>('/replay/view/chunk', { body: { secret, index } })))
  expect(chunks.map(({ type }) => type)).toContain(2)
  expect(JSON.stringify(chunks)).toContain('In your cart')
  expect(JSON.stringify(chunks)).not.toMatch(/Ada|Lovelace/)

  // A person watches it to its end.
  const viewer = await newPage()
  await viewer.goto(viewer_url)
  await viewer.locator('#play:enabled').waitFor()
  const recorded = viewer.frameLocator('#stage').frameLocator('iframe')
  await viewer.locator('#seek').press('End')
  await eventually(async () => expect(await recorded.locator('p').textContent()).toContain('In your cart'))
  // A busy deployment may not answer in time. The viewer asks again when it is loaded again.
  await eventually(async () => {
    const entries = await viewer.locator('#events').textContent()
    if (!entries?.includes('page_view')) await viewer.reload()
    expect(entries).toContain('page_view')
  }, RELOADS)
  await viewer.context().close()

  expect(await service.callJson(`/replays/${replay.id}`, { method: 'DELETE' })).toEqual({
    ok: true,
    deleted: replay.id,
  })
  const gone = [
    await service.call(`/replays/${replay.id}`),
    await service.call('/replay/view', { body: { secret } }),
    await service.call('/replay/view/chunk', { body: { secret, index: 0 } }),
  ]
  expect(gone.map(({ status }) => status)).toEqual([404, 404, 404])
  expect((await list(project)).replays).toEqual([])
})
