import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { change, click, element, move, setText, type TestNode, text } from './events.ts'
import { HOSTILE_NODES, harmlessPage, hostileChanges, hostilePage } from './hostile-pages.ts'
import {
  type OpenedViewer,
  openViewer,
  type Recording,
  recordedPage,
  seekTo,
  storeReplay,
  type TestEvent,
  untilReady,
} from './viewer-page.ts'

let browser: Browser
let service: HttpService
beforeAll(async () => {
  ;[browser, service] = await Promise.all([sharedBrowser(), openHttpService()])
})
afterAll(() => service?.close())

/**
 * Plays the whole recording, forwards and after a seek backwards, with a click and a key on the recorded
 * page.
 */
async function play(recording: Recording, last: number) {
  const { secret } = await storeReplay(service, recording)
  const opened = await openViewer(browser, service, secret)
  const { page } = opened
  await untilReady(page)
  const heading = recordedPage(page).locator('h1').first()
  await seekTo(page, last)
  await eventually(async () => expect(await heading.textContent()).toBe('At the end'))
  await seekTo(page, 10)
  await eventually(async () => expect(await heading.textContent()).toBe('Still here'))
  await page.selectOption('#speed', '8')
  await page.locator('#play').click()
  await eventually(async () => expect(await heading.textContent()).toBe('At the end'))
  // Neither the pointer nor the keyboard reaches the recorded page.
  await page.locator('#screen').click({ position: { x: 200, y: 100 } })
  for (let i = 0; i < 12; i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await untilReported(opened)
  return opened
}

/**
 * Lets the document of the recording ask for an image, and waits until the policy has reported that: what the
 * recording has asked for before that is reported by then, too.
 */
async function untilReported({ page, incidents }: OpenedViewer): Promise<void> {
  const stage = page.frames().find(frame => frame.url().endsWith('/replay/stage'))
  await stage!.evaluate(() => {
    new Image().src = 'https://last.test/'
  })
  await eventually(() => expect(incidents.reports.join()).toContain('https://last.test/'))
  incidents.reports = incidents.reports.filter(report => !report.includes('https://last.test/'))
}

const atEnd = (at: number) => [
  move(at + 500, 50, 50),
  click(at + 600, 60, 60),
  setText(at + 1_000, 9, 'At the end'),
]

/** The script of the recording without its sanitizer, to show what the policy stops alone. */
async function stageWithoutSanitizer(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['replay/viewer/stage/stage.ts'],
    bundle: true,
    format: 'iife',
    write: false,
    plugins: [
      {
        name: 'without-sanitizer',
        setup({ onLoad }) {
          onLoad({ filter: /sanitizer\.ts$/ }, () => ({
            contents: `export const createSanitizer = () => ({
              sanitize: event => event,
              countLeftOut: () => ({ images: 0, fonts: 0, sheets: 0 }),
            })`,
          }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}

describe.each(Object.entries(HOSTILE_NODES))('a recorded page with %s', (_, nodes) => {
  test('runs nothing, asks nobody, and shows the rest', async () => {
    const { page, incidents } = await play(
      at => new Map([[0, [...hostilePage(at, nodes), ...atEnd(at)]]]),
      1_100,
    )
    expect(incidents).toEqual({ requests: [], reports: [] })
    expect(await page.title()).not.toContain('ran')
    expect(new URL(page.url()).pathname).toBe('/replay/viewer')
    expect(
      page
        .frames()
        .map(frame => frame.url())
        .filter(url => !/^(about:blank|https:\/\/footfall\.example\/replay\/(viewer|stage))$/.test(url)),
    ).toEqual([])
    await page.context().close()
  })
})

test('hostile changes of a harmless page run nothing, ask nobody, and the rest plays on', async () => {
  const { page, incidents } = await play(
    at => new Map([[0, [...harmlessPage(at), ...hostileChanges(at + 100), ...atEnd(at)]]]),
    1_100,
  )
  expect(incidents).toEqual({ requests: [], reports: [] })
  expect(await page.title()).not.toContain('ran')
  await page.context().close()
})

test('without the sanitizer the policy stops every script and request, and reports it', async () => {
  const stage = await stageWithoutSanitizer()
  const reported: string[] = []
  const kinds = Object.entries(HOSTILE_NODES).filter(([kind]) => !/cannot be|hide parts/.test(kind))
  for (const [kind, nodes] of kinds) {
    const { secret } = await storeReplay(
      service,
      at => new Map([[0, [...hostilePage(at, nodes), ...atEnd(at)]]]),
    )
    const opened = await openViewer(browser, service, secret, { stage })
    const { page, incidents } = opened
    await untilReady(page)
    const heading = recordedPage(page).locator('h1').first()
    await eventually(async () => expect(await heading.textContent()).toBe('Still here'))
    await untilReported(opened)
    expect([kind, incidents.requests, await page.title()]).toEqual([kind, [], 'Session replay · Footfall'])
    expect(incidents.reports.filter(report => /dialog|window/.test(report))).toEqual([])
    if (incidents.reports.length > 0) reported.push(kind)
    await page.context().close()
  }
  expect(reported).toEqual(expect.arrayContaining(['frames', 'orders to the browser', 'media', 'styles']))
})

describe('a recording that is too much', () => {
  const nested = (depth: number): TestNode => {
    let node: TestNode = element(200_000 + depth, 'p', {}, [text(400_000, 'deep')])
    for (let level = depth - 1; level > 0; level--) node = element(200_000 + level, 'div', {}, [node])
    return node
  }
  test.each<[string, Recording]>([
    [
      'has elements that are 950 deep, nearly all that a chunk may have',
      at => new Map([[0, [...hostilePage(at, () => [nested(950)]), ...atEnd(at)]]]),
    ],
    [
      'has 210,000 elements more than the page',
      at =>
        new Map([
          [0, hostilePage(at, () => [])],
          ...Array.from({ length: 10 }, (_, chunk): [number, TestEvent[]] => [
            chunk + 1,
            [
              change(at + 100, {
                adds: Array.from({ length: 21_000 }, (_, i) => ({
                  parentId: 5,
                  nextId: null,
                  node: element(10_000 + chunk * 21_000 + i, 'i'),
                })),
              }),
            ],
          ]),
          [11, atEnd(at)],
        ]),
    ],
    [
      'has times that run backwards, and names itself wrongly',
      at =>
        new Map([
          [0, [...hostilePage(at + 300, () => []), move(at, 1, 1), move(at + 200, 1, 1)]],
          [1, atEnd(at)],
        ]),
    ],
  ])('it %s: the rest plays', async (_, recording) => {
    const { secret } = await storeReplay(service, recording)
    const { page, incidents } = await openViewer(browser, service, secret)
    await untilReady(page)
    await seekTo(page, 2_000)
    const heading = recordedPage(page).locator('h1').first()
    await eventually(async () => expect(await heading.textContent()).toBe('At the end'))
    expect(incidents).toEqual({ requests: [], reports: [] })
    await page.context().close()
  })
})
