import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { change, element, move, type TestNode, text } from './events.ts'
import { openViewer, type Recording, recordedPage, seekTo, storeReplay, untilReady } from './viewer-page.ts'

let browser: Browser
let service: HttpService
beforeAll(async () => {
  ;[browser, service] = await Promise.all([sharedBrowser(), openHttpService()])
})
afterAll(() => service?.close())

/** As the recorder writes a page: a snapshot of a few nodes, then the other nodes, with the same time. */
function picture(at: number, heading: string) {
  const root = {
    id: 1,
    type: 0,
    childNodes: [
      { id: 2, type: 1, name: 'html', publicId: '', systemId: '' },
      element(3, 'html', {}, [element(4, 'head')]),
    ],
  }
  const add = (parentId: number, node: TestNode) => ({ parentId, nextId: null, node })
  return {
    begin: [
      { type: 4, timestamp: at, data: { href: 'https://shop.test/', width: 800, height: 600 } },
      { type: 2, timestamp: at, data: { node: root, initialOffset: { left: 0, top: 0 } } },
    ],
    body: change(at, { adds: [add(3, element(5, 'body')), add(5, element(6, 'h1'))] }),
    words: change(at, { adds: [add(6, text(7, heading))] }),
  }
}

const left = (timestamp: number) => ({ type: 5, timestamp, data: { tag: 'aa-left', payload: {} } })

const onlyLooking: Recording = at => {
  const { begin, body, words } = picture(at, 'Blue shoes')
  return new Map([
    [0, begin],
    [1, [body, words]],
  ])
}
const inManyChunks: Recording = at => {
  const { begin, body, words } = picture(at, 'Blue shoes')
  return new Map([
    [0, begin],
    [1, [body]],
    [2, [words]],
    [3, [left(at + 9_000)]],
  ])
}
const withSecondPage: Recording = at => {
  const [first, second] = [picture(at, 'Blue shoes'), picture(at + 4_000, 'Your cart')]
  return new Map([
    [0, first.begin],
    [1, [first.body, first.words, move(at + 1_000, 1, 1)]],
    [2, second.begin],
    [3, [second.body, second.words]],
    [4, [left(at + 9_000)]],
  ])
}

async function shows(page: Page, heading: string): Promise<void> {
  await eventually(async () =>
    expect(await recordedPage(page).locator('h1').allTextContents()).toEqual([heading]),
  )
}

test.each<[string, Recording, { isPlaying: boolean }]>([
  ['of a user who only looks', onlyLooking, { isPlaying: false }],
  ['of a user who only looks, as it plays', onlyLooking, { isPlaying: true }],
  ['whose parts are in many chunks', inManyChunks, { isPlaying: false }],
])('the first picture %s is the whole page, also after each seek to it', async (_, recording, options) => {
  const { secret } = await storeReplay(service, recording)
  const { page, incidents } = await openViewer(browser, service, secret, options)
  await untilReady(page)
  await shows(page, 'Blue shoes')
  for (const ms of [1, 0]) {
    await seekTo(page, ms)
    await shows(page, 'Blue shoes')
  }
  expect(incidents).toEqual({ requests: [], reports: [] })
  await page.context().close()
})

test('the picture of a later page is whole too', async () => {
  const { secret } = await storeReplay(service, withSecondPage)
  const { page } = await openViewer(browser, service, secret)
  await untilReady(page)
  for (const [ms, heading] of [
    [4_000, 'Your cart'],
    [0, 'Blue shoes'],
    [8_000, 'Your cart'],
  ] as const) {
    await seekTo(page, ms)
    await shows(page, heading)
  }
  await page.context().close()
})

test('a visit of which nothing moves plays as long as it was', async () => {
  const { secret } = await storeReplay(service, inManyChunks)
  const { page } = await openViewer(browser, service, secret, { isPlaying: true })
  await untilReady(page)
  await eventually(async () => {
    const at = Number(await page.inputValue('#seek'))
    expect(at).toBeGreaterThan(100)
    expect(at).toBeLessThan(8_900)
  })
  await page.selectOption('#speed', '8')
  await page.locator('#play[aria-label=Play]').waitFor()
  expect(await page.textContent('#time')).toBe('0:09 / 0:09')
  await shows(page, 'Blue shoes')
  await page.context().close()
})

test.each([
  [5_000, { isPlaying: false }],
  [9_000, { isPlaying: true }],
])('a seek to %i ms before the first picture is there is not undone', async (ms, options) => {
  const { promise: chunksWait, resolve } = Promise.withResolvers<void>()
  const { secret } = await storeReplay(service, withSecondPage)
  const { page } = await openViewer(browser, service, secret, { chunksWait, ...options })
  await page.locator('#seek:enabled').waitFor()
  await seekTo(page, ms)
  // The key of a button that is not there yet does nothing either.
  await page.keyboard.press('k')
  resolve()
  await untilReady(page)
  await shows(page, 'Your cart')
  expect(await page.inputValue('#seek')).toBe(String(ms))
  expect(await page.getAttribute('#play', 'aria-label')).toBe('Play')
  await page.context().close()
})
