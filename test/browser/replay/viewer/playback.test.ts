import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { click, element, move, page as pageOf, setText, snapshot, text } from './events.ts'
import { openViewer, type Recording, recordedPage, seekTo, storeReplay, untilReady } from './viewer-page.ts'

let browser: Browser
let service: HttpService
beforeAll(async () => {
  ;[browser, service] = await Promise.all([sharedBrowser(), openHttpService()])
})
afterAll(() => service?.close())

const STYLE = 'body{font:20px sans-serif;margin:40px;background:#fff8e7}h1{color:#224}'

/** A page whose heading changes each second. */
const counting: Recording = at => {
  const page = pageOf(
    [element(6, 'style', {}, [text(7, STYLE)])],
    [element(8, 'h1', {}, [text(9, 'Second 0')]), element(10, 'p', {}, [text(11, 'Blue shoes')])],
  )
  const second = (n: number) => [
    move(at + n * 1000 - 500, 100 + n * 40, 100 + n * 20),
    setText(at + n * 1000, 9, `Second ${n}`),
  ]
  return new Map([
    [0, [...snapshot(at, page), ...second(1), ...second(2), click(at + 2500, 180, 140)]],
    [1, [...second(3), ...second(4), ...second(5)]],
    [2, [...second(6), ...second(7), ...second(8), click(at + 8500, 300, 200)]],
  ])
}

test('the first frame is shown at once, seeking shows the page of that time, and nothing is asked of others', async () => {
  const { secret } = await storeReplay(service, counting)
  const { page, incidents } = await openViewer(browser, service, secret)
  await untilReady(page)
  const heading = recordedPage(page).locator('h1')
  await eventually(async () => expect(await heading.textContent()).toBe('Second 0'))
  for (const [ms, shown] of [
    [4_200, 'Second 4'],
    [1_100, 'Second 1'],
    [8_400, 'Second 8'],
    [0, 'Second 0'],
  ] as const) {
    await seekTo(page, ms)
    await eventually(async () => expect(await heading.textContent()).toBe(shown))
  }

  expect(incidents).toEqual({ requests: [], reports: [] })
  await page.context().close()
})
