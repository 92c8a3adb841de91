import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VIEWER_MS } from '#core/replays/viewer-links'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { BASE_URL, type HttpService, openHttpService } from '#test/support/http-service'
import { click, element, move, page as pageOf, setText, snapshot, text } from './events.ts'
import { openViewer, type Recording, recordedPage, seekTo, storeReplay, untilReady } from './viewer-page.ts'

let browser: Browser
let service: HttpService
beforeAll(async () => {
  ;[browser, service] = await Promise.all([sharedBrowser(), openHttpService()])
})
afterAll(() => service?.close())

const shopPage = (heading: string) =>
  pageOf(
    [
      element(6, 'style', {}, [text(7, '@font-face{font-family:a;src:url(/a.woff)}')]),
      element(12, 'link', { rel: 'stylesheet', href: 'https://cdn.test/a.css' }),
    ],
    [element(8, 'h1', {}, [text(9, heading)]), element(10, 'img', { src: 'https://shop.test/a.png' })],
  )

/** Ten seconds of work, 30 seconds of nothing, and work again. */
const withIdleTime: Recording = at =>
  new Map([
    [
      0,
      [
        ...snapshot(at, shopPage('Start')),
        move(at + 500, 10, 10),
        click(at + 1_000, 10, 10),
        setText(at + 1_200, 9, 'Opened'),
      ],
    ],
    [1, [move(at + 40_000, 20, 20), setText(at + 40_500, 9, 'Back again'), click(at + 42_000, 10, 10)]],
  ])

/** Chunk 1 never came. Then the page was recorded anew, with another address. */
const withGap: Recording = at =>
  new Map([
    [0, [...snapshot(at, shopPage('Start')), move(at + 2_000, 10, 10)]],
    [2, [setText(at + 6_000, 9, 'Not to be shown'), move(at + 7_000, 10, 10)]],
    [
      3,
      [
        ...snapshot(at + 8_000, shopPage('Cart'), {
          href: 'https://shop.test/cart',
          width: 390,
          height: 700,
        }),
        move(at + 12_000, 10, 10),
      ],
    ],
  ])

const heading = (page: Page) => recordedPage(page).locator('h1')
async function shows(page: Page, words: string): Promise<void> {
  await eventually(async () => expect(await heading(page).textContent()).toBe(words))
}

describe('what the page says', () => {
  test('a missing part is left out and said, and so are images, fonts and style sheets that are missing', async () => {
    const { secret } = await storeReplay(service, withGap)
    const { page, incidents } = await openViewer(browser, service, secret)
    await untilReady(page)
    await shows(page, 'Start')
    await seekTo(page, 6_500)
    await eventually(async () =>
      expect(await page.textContent('#now')).toBe(
        'A part of this replay is missing from 0:02. It goes on at 0:08.',
      ),
    )
    await shows(page, 'Start')
    await seekTo(page, 9_000)
    await shows(page, 'Cart')
    await eventually(async () => {
      expect(await page.isHidden('#now')).toBe(true)
      expect(await page.textContent('#address')).toBe('https://shop.test/cart')
      expect(await page.textContent('#size')).toBe('390 × 700')
    })
    const lacks = await page.textContent('#lacks')
    for (const said of ['One part of this replay is missing', 'Some images', 'One style sheet', 'Fonts']) {
      expect(lacks).toContain(said)
    }
    expect(incidents).toEqual({ requests: [], reports: [] })
    await page.context().close()
  })

  test('a chunk that is damaged is a gap, and a recording that goes on says so', async () => {
    const { secret, id } = await storeReplay(service, withGap, { isFinished: false })
    const replay = await service.replays.replays.byId(id)
    const damaged = replay!.chunks.find(({ index }) => index === 2)!
    const key = `replays/${new Date(replay!.started_at).toISOString().slice(0, 10)}/${id}/${damaged.object}`
    await service.replays.objects.put(key, Buffer.from('not gzip'))
    const { page } = await openViewer(browser, service, secret)
    await untilReady(page)
    await seekTo(page, 9_000)
    await shows(page, 'Cart')
    expect(await page.textContent('#lacks')).toContain('This session is still being recorded.')
    expect(await page.textContent('#lacks')).toContain('One part of this replay is missing.')
    await page.context().close()
  })

  test.each<[string, Recording | null]>([
    ['no secret', null],
    ['a replay without a chunk', () => new Map()],
    ['a replay without a picture of the page', at => new Map([[0, [move(at, 1, 1), move(at + 1, 1, 1)]]])],
  ])('%s: a sentence says what to do', async (_, recording) => {
    const secret = recording ? (await storeReplay(service, recording)).secret : ''
    const { page, incidents } = await openViewer(browser, service, secret)
    await page.locator('#message:visible').waitFor()
    const said = await page.textContent('#message')
    expect(said).toMatch(recording ? /nothing to show.*[Oo]pen the replay again/ : /Open the replay again/)
    expect(incidents).toEqual({ requests: [], reports: [] })
    await page.context().close()
  })
})

describe('an address of the viewer that is not good any more', () => {
  test.each<[string, (replay: Awaited<ReturnType<typeof storeReplay>>) => Promise<unknown>]>([
    ['an hour later', async () => service.wait(VIEWER_MS + 1)],
    [
      'after the replay was deleted',
      async ({ id }) => service.replays.removal.remove((await service.replays.replays.byId(id))!),
    ],
    [
      'after all replays of the project were deleted',
      ({ project }) => service.replays.removal.removeOfProjects([project.id]),
    ],
  ])('shows nothing of the replay %s', async (_, end) => {
    const replay = await storeReplay(service, withIdleTime)
    await end(replay)
    const { page, asked } = await openViewer(browser, service, replay.secret)
    await page.locator('#message:visible').waitFor()
    expect(await page.textContent('#message')).toContain('This address is not good any more')
    expect(await page.locator('#stage').count()).toBe(0)
    expect(asked.filter(path => path.startsWith('POST'))).toEqual(['POST /replay/view'])
    await page.context().close()
  })

  test('a replay that is deleted while it plays disappears at the next chunk', async () => {
    const long: Recording = at =>
      new Map(
        Array.from({ length: 6 }, (_, i) => [
          i,
          i === 0
            ? [...snapshot(at, shopPage('Start')), move(at + 1_000, 1, 1)]
            : [move(at + i * 140_000, 1, 1), setText(at + i * 140_000 + 1, 9, `Part ${i}`)],
        ]),
      )
    const { secret, id } = await storeReplay(service, long)
    const { page } = await openViewer(browser, service, secret)
    await untilReady(page)
    await shows(page, 'Start')
    await service.replays.removal.remove((await service.replays.replays.byId(id))!)
    await seekTo(page, 690_000)
    await page.locator('#message:visible').waitFor()
    expect(await page.textContent('#message')).toContain('This address is not good any more')
    expect(page.frames()).toHaveLength(1)
    await page.context().close()
  })
})

describe('the controls', () => {
  test('idle time is skipped unless the box is off, and the player stops at the end of the replay', async () => {
    const { secret } = await storeReplay(service, withIdleTime)
    const { page } = await openViewer(browser, service, secret)
    await untilReady(page)
    await page.selectOption('#speed', '8')
    await page.click('#play')
    await shows(page, 'Back again')
    await page.locator('#play[aria-label=Play]').waitFor()
    expect(await page.textContent('#time')).toBe('0:42 / 0:42')
    await page.uncheck('#skip')
    // Slow enough for a busy machine to see it in the idle time, which it would else jump over.
    await page.selectOption('#speed', '1')
    await seekTo(page, 4_000)
    await page.click('#play')
    await eventually(async () => {
      const at = Number(await page.inputValue('#seek'))
      expect(at).toBeGreaterThan(4_500)
      expect(at).toBeLessThan(38_000)
    })
    await page.context().close()
  })

  test('keys do what the list of keys says', async () => {
    const { secret } = await storeReplay(service, withIdleTime)
    const { page } = await openViewer(browser, service, secret)
    await untilReady(page)
    const at = async () => Math.round(Number(await page.inputValue('#seek')))
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await at()).toBe(10_000)
    await page.keyboard.press('ArrowLeft')
    expect(await at()).toBe(5_000)
    await page.locator('#seek').press('ArrowRight')
    expect(await at()).toBe(10_000)
    await page.keyboard.press('+')
    expect(await page.inputValue('#speed')).toBe('2')
    await page.keyboard.press('-')
    await page.keyboard.press('-')
    await page.keyboard.press('-')
    expect(await page.inputValue('#speed')).toBe('0.5')
    await page.locator('h1').first().click()
    await page.keyboard.press('Space')
    await page.locator('#play[aria-label=Pause]').waitFor()
    await page.keyboard.press('Space')
    await page.locator('#play[aria-label=Play]').waitFor()
    await page.keyboard.press('?')
    expect(await page.isVisible('#keys')).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.isVisible('#keys')).toBe(false)
    await page.keyboard.press('f')
    await page.waitForFunction(() => document.fullscreenElement?.id === 'player')
    await page.keyboard.press('f')
    await page.waitForFunction(() => document.fullscreenElement === null)
    await page.context().close()
  })

  test('an entry of the list seeks to its page', async () => {
    const { secret } = await storeReplay(service, withGap)
    const { page } = await openViewer(browser, service, secret)
    await untilReady(page)
    const entry = page.getByRole('button', { name: '/cart' })
    await entry.click()
    await shows(page, 'Cart')
    await eventually(async () => expect(await entry.getAttribute('aria-current')).toBe('true'))
    await page.context().close()
  })
})

describe('the secret', () => {
  test('stands in no address that a server sees, leaves the address bar, survives a reload, and is in no log', async () => {
    const { secret } = await storeReplay(service, withIdleTime)
    const { page, asked } = await openViewer(browser, service, secret)
    await untilReady(page)
    expect(page.url()).toBe(`${BASE_URL}/replay/viewer`)
    await page.reload()
    await untilReady(page)
    expect(asked.join()).not.toContain(secret.slice(4, 20))
    expect(JSON.stringify(service.logged)).not.toContain(secret.slice(4, 20))
    await page.context().close()
  })

  test.each(['/replay/viewer', '/replay/stage'])(
    '%s may not be kept, framed by others or searched',
    async path => {
      const { headers } = await fetch(`http://127.0.0.1:${service.port}${path}`)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-robots-tag')).toContain('noindex')
      const policy = headers.get('content-security-policy')!
      expect(policy).toContain(
        "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox allow-scripts",
      )
      expect(policy).toMatch(/frame-ancestors '(none|self)'/)
      expect(policy).not.toMatch(/script-src[^;]*(unsafe|self|\*)/)
      expect(policy.includes("'unsafe-inline'")).toBe(path === '/replay/stage')
    },
  )
})

describe('accessibility', () => {
  test.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['on a phone', { viewport: { width: 320, height: 640 } }],
  ])('axe finds no fault, and nothing is cut off: %s', async (_, options) => {
    const { secret } = await storeReplay(service, withGap)
    const { page } = await openViewer(browser, service, secret, options)
    await untilReady(page)
    await seekTo(page, 5_000)
    expect(await faults(page)).toEqual([])
    await page.keyboard.press('?')
    expect(await faults(page)).toEqual([])
    const isCut = () => document.documentElement.scrollWidth > document.documentElement.clientWidth
    expect(await page.evaluate(isCut)).toBe(false)
    await page.context().close()
  })

  test('the sentence of a dead address has no fault either, and has the focus', async () => {
    const { page } = await openViewer(browser, service, `aav_${'0'.repeat(64)}`)
    await page.locator('#message:visible').waitFor()
    expect(await faults(page)).toEqual([])
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('message')
    await page.context().close()
  })
})

/** What axe finds, by the rule and its elements. The recorded page is not ours. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: typeof import('axe-core') }
    const { violations } = await axe.run({ exclude: ['#stage'] }, { iframes: false })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`)
  })
}
