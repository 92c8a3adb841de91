import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { MAX_VIEWED_EVENTS } from '#schemas/replays'
import { routes } from '#schemas/routes'
import { sharedBrowser } from '#test/support/browser'
import type { BuiltLake, EventsRecord } from '#test/support/build-lake'
import { eventually } from '#test/support/eventually'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { element, move, page as pageOf, snapshot, text } from './events.ts'
import { openViewer, type Recording, recordedPage, seekTo, storeReplay, untilReady } from './viewer-page.ts'

let browser: Browser
let folder: FolderLake
let service: HttpService
let built: BuiltLake
let engine: Pick<FolderLake['engine'], 'rows'>

beforeAll(async () => {
  ;[browser, folder] = await Promise.all([sharedBrowser(), openFolderLake()])
  engine = folder.engine
  service = await openHttpService({
    reading: { engine: { rows: query => engine.rows(query) }, openLake: () => built.openLake() },
  })
})
afterAll(async () => {
  await service?.close()
  await folder?.close()
})

const recording: Recording = at =>
  new Map([
    [
      0,
      [
        ...snapshot(at, pageOf([], [element(8, 'h1', {}, [text(9, 'Shop')])])),
        ...[1, 2, 3, 4, 5, 6, 7, 8].map(second => move(at + second * 1_000, second, second)),
      ],
    ],
  ])

type Sent = { session: string; event: string; at: number; path?: unknown }

function recordOf(project: Project, seq: number, sent: readonly Sent[]): EventsRecord {
  return {
    kind: 'events',
    project_id: project.id,
    account_id: project.account_id,
    bucket: project.bucket,
    received_at: service.now(),
    seq,
    country: 'DE',
    events: sent.map(({ session, event, at, path }) => ({
      event,
      properties: path === undefined ? {} : { path },
      user_id: 'u1',
      session_id: session,
      timestamp: at,
    })),
  } as EventsRecord
}

test('the viewer shows the events of the session in the time of the replay, and seeks to them', async () => {
  const project = await service.createProject()
  const theirs = await service.createProject(service.stranger)
  const { secret, sessionId: session, startedAt } = await storeReplay(service, recording, { project })
  const sent: Sent[] = [
    { session, event: 'page_view', at: startedAt, path: '/start' },
    { session, event: 'signup', at: startedAt + 6_000, path: { not: 'a text' } },
    { session, event: 'too_early', at: startedAt - 60_000 },
    { session, event: 'too_late', at: startedAt + 60_000 },
    { session: 'another', event: 'of_another_session', at: startedAt + 1_000 },
  ]
  const foreign: Sent[] = [{ session, event: 'of_another_project', at: startedAt + 1_000 }]
  built = await folder.build({ epochs: [[[recordOf(project, 1, sent), recordOf(theirs, 2, foreign)]]] })

  const { status, body } = await service.call(routes.viewEvents, { key: null, body: { secret } })
  expect([status, body]).toEqual([
    200,
    {
      events: [
        { timestamp: startedAt, event: 'page_view', path: '/start' },
        { timestamp: startedAt + 6_000, event: 'signup', path: null },
      ],
    },
  ])

  const { page, incidents } = await openViewer(browser, service, secret)
  await untilReady(page)
  const entries = page.locator('.entry')
  await eventually(async () =>
    expect(await entries.allTextContents()).toEqual([
      '0:000 seconds: page_view /start',
      '0:066 seconds: signup',
    ]),
  )
  expect(await page.locator('#marks .event').count()).toBe(2)
  await page.getByRole('button', { name: 'signup' }).click()
  expect(Number(await page.inputValue('#seek'))).toBe(6_000)
  expect(await recordedPage(page).locator('h1').textContent()).toBe('Shop')
  await seekTo(page, 5_999)
  await eventually(async () =>
    expect(await page.locator('[aria-current]').textContent()).toContain('page_view'),
  )
  expect(incidents).toEqual({ requests: [], reports: [] })
  await page.context().close()
})

test('a session of very many events says that there are more', async () => {
  const project = await service.createProject()
  const { secret, sessionId: session, startedAt } = await storeReplay(service, recording, { project })
  const sent = Array.from({ length: MAX_VIEWED_EVENTS + 1 }, (_, i) => ({
    session,
    event: `e${i}`,
    at: startedAt + i,
  }))
  built = await folder.build({ epochs: [[[recordOf(project, 1, sent)]]] })
  const { body } = await service.call(routes.viewEvents, { key: null, body: { secret } })
  const { events, truncated } = body as { events: { event: string }[]; truncated?: boolean }
  expect([events.length, events[0]?.event, truncated]).toEqual([MAX_VIEWED_EVENTS, 'e0', true])
})

test('an address reads the events 60 times, and not at all when it is unknown or its replay is gone', async () => {
  const { secret, id } = await storeReplay(service, recording)
  built = await folder.build({ epochs: [[[]]] })
  // Only the number of the reads matters here.
  engine = { rows: async () => [] }
  const read = (sent: string) => service.call(routes.viewEvents, { key: null, body: { secret: sent } })
  for (let i = 0; i < 60; i++) expect((await read(secret)).status).toBe(200)
  const last = await read(secret)
  expect([last.status, last.body.error]).toEqual([429, 'RATE_LIMITED'])
  // The page says so, and has the pages of the recording.
  const { page } = await openViewer(browser, service, secret, { hasClock: true })
  await untilReady(page)
  await eventually(async () => {
    // The viewer tries again, after a wait.
    await page.clock.runFor(10_000)
    expect(await page.getByText('The events of the tracker could not be read.').isVisible()).toBe(true)
  })
  expect(await page.locator('.entry').allTextContents()).not.toEqual([])
  await page.context().close()
  expect((await read(`aav_${'0'.repeat(64)}`)).status).toBe(404)
  await service.replays.removal.remove((await service.replays.replays.byId(id))!)
  expect((await read(secret)).status).toBe(404)
})
