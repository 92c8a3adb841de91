import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RecordedEvent, Source } from '#replay/masking/events'
import { playPage, showPage } from '#test/browser/replay/played-page'
import { openPage, SETTINGS, startRecording, untilWhole } from '#test/browser/replay/recorded-page'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { openViewer, seekTo, storeReplay, type TestEvent, untilReady } from './viewer-page.ts'

let browser: Browser
let service: HttpService
beforeAll(async () => {
  ;[browser, service] = await Promise.all([sharedBrowser(), openHttpService()])
})
afterAll(() => service?.close())

const SIZE = { width: 800, height: 600 }
/** The part of the pixels that may differ, as edges of texts do. */
const TOLERANCE = 0.002

const ROWS = Array.from(
  { length: 12 },
  (_, i) => `<tr><td>Order ${i}</td><td class="${i % 2 ? 'odd' : 'even'}">blue shoes</td></tr>`,
).join('')

type Steps = ((page: Page) => Promise<unknown>)[]

/** Pages, what a user or the page itself does to them, step by step, and what else the site has. */
const PAGES: [name: string, html: string, steps: Steps, files?: Parameters<typeof openPage>[3]][] = [
  [
    'a page with styles, a table and changes',
    `<!doctype html><html><head><style>body{font:16px sans-serif;background:#fffbe8;margin:24px}td{padding:4px 12px}.odd{background:#def}.new{color:#a00;font-weight:bold}#box{width:120px;height:60px;background:linear-gradient(90deg,#36c,#6c3)}</style></head><body><h1 id=h>Orders</h1><div id=box></div><table>${ROWS}</table></body></html>`,
    [
      page => page.evaluate(() => document.getElementById('h')!.replaceChildren('Orders of today')),
      page =>
        page.evaluate(() => {
          for (const row of document.querySelectorAll('tr:nth-child(3n)')) row.remove()
        }),
      page => page.evaluate(() => document.querySelector('table')!.classList.add('new')),
      page =>
        page.evaluate(() =>
          document.getElementById('box')!.setAttribute('style', 'width:300px;background:#c36'),
        ),
    ],
  ],
  [
    'a page in another direction with a shadow tree and a drawing',
    `<!doctype html><html dir=rtl lang=he><head><meta charset=utf-8><style>body{font:18px sans-serif;margin:24px}</style></head><body><h1>שלום</h1><p>The recorder masks the texts of a short element together when they look like one number. This paragraph is longer than that, so all of it is shown.</p><div id=host></div><svg width=120 height=60 viewBox="0 0 120 60"><defs><linearGradient id=g><stop offset=0 stop-color=#f80 /><stop offset=1 stop-color=#08f /></linearGradient></defs><rect width=120 height=60 fill="url(#g)"/></svg><script>const root=host.attachShadow({mode:'open'});root.innerHTML='<style>p{color:#063;border:2px solid}</style><p>in the shadow</p>'</script></body></html>`,
    [
      page =>
        page.evaluate(() => {
          document.getElementById('host')!.shadowRoot!.querySelector('p')!.style.height = '90px'
        }),
      page => page.evaluate(() => document.querySelector('rect')!.setAttribute('width', '40')),
    ],
  ],
  [
    'a single-page application that scrolls',
    `<!doctype html><html><head><style>body{font:16px sans-serif;margin:0}section{height:500px;padding:24px}section:nth-child(2n){background:#e8f0ff}</style></head><body><section>One</section><section>Two</section><section>Three</section><section>Four</section></body></html>`,
    [
      page => page.evaluate(() => scrollTo({ top: 700, behavior: 'instant' })),
      page =>
        page.evaluate(() => {
          history.pushState({}, '', '/cart')
          document.body.innerHTML = '<section>Cart</section><section>Total</section>'
        }),
    ],
  ],
  [
    // The viewer asks the site for nothing. So it is the same when the site has other names for its files.
    'a page whose style sheets are files of its site, with a frame of the site and one of another site',
    `<!doctype html><html><head><link rel=stylesheet href=/app-3f2a91.css><style>@import '/more-77aa01.css';</style></head><body><h1>Shoes</h1><iframe id=own src=/frame width=300 height=120></iframe><iframe src=http://elsewhere.test/ad width=200 height=80></iframe><p class=note>Below</p></body></html>`,
    [
      page =>
        page.evaluate(() => {
          const frame = document.getElementById('own') as HTMLIFrameElement
          frame.contentDocument!.querySelector('p')!.replaceChildren('two pairs in the cart')
        }),
      page => page.evaluate(() => document.querySelector('.note')!.classList.add('loud')),
    ],
    {
      '/app-3f2a91.css': {
        contentType: 'text/css',
        body: 'body{font:18px sans-serif;background:#eef6ff;margin:24px}h1{color:#036;border-bottom:4px solid #c60}.loud{background:#c60;color:#fff;padding:30px}',
      },
      '/more-77aa01.css': { contentType: 'text/css', body: '.note{letter-spacing:4px}' },
      '/frame': {
        contentType: 'text/html',
        body: '<!doctype html><link rel=stylesheet href=/frame-10ab.css><p>one pair in the cart',
      },
      '/frame-10ab.css': { contentType: 'text/css', body: 'body{background:#ffe0b0;font:20px sans-serif}' },
    },
  ],
  [
    // slices.test.ts records 20,000 elements.
    'a table of 6,000 elements, at its top, in its middle and at its end',
    `<!doctype html><html><head><style>body{font:14px sans-serif;margin:0}td{padding:2px 12px;border:1px solid #ccd;height:20px}tr:nth-child(2n){background:#eef}b{color:#036}i{color:#a30}</style></head><body><table>${Array.from(
      { length: 1_000 },
      (_, i) => `<tr><td>Row ${i}</td><td><b>blue</b> and <i>red</i></td><td>end</td></tr>`,
    ).join('')}</table></body></html>`,
    [
      page => page.evaluate(() => scrollTo({ top: 12_000, behavior: 'instant' })),
      page =>
        page.evaluate(() => {
          for (const cell of document.querySelectorAll('tr:nth-child(450) ~ tr:nth-child(7n) b')) {
            cell.replaceChildren('green')
          }
        }),
      page => page.evaluate(() => scrollTo({ top: 1_000_000, behavior: 'instant' })),
    ],
  ],
]

/** Elements and bytes of the largest page, with room. */
const LIMITS = { ...SETTINGS.limits, maxNodes: 50_000, burstBytes: 10_000_000 }
/** A chunk has at most 4 MiB of events as JSON. */
const CHUNK_CHARS = 1_000_000

function toChunks(events: TestEvent[]): Map<number, TestEvent[]> {
  const chunks: TestEvent[][] = [[]]
  let chars = 0
  for (const event of events) {
    chars += JSON.stringify(event).length
    if (chars > CHUNK_CHARS) {
      chunks.push([])
      chars = 0
    }
    chunks.at(-1)!.push(event)
  }
  return new Map(chunks.entries())
}

test.each(PAGES)('%s looks as it did, after each change', async (_, html, steps, files) => {
  const page = await openPage(browser, html, '/shop', files)
  await page.setViewportSize(SIZE)
  const { recorded } = await startRecording(page, { limits: LIMITS })
  await untilWhole(page)
  let events: RecordedEvent[] = []
  const shots: { at: number; png: Buffer }[] = []
  for (const step of [async () => {}, ...steps]) {
    const before = events.length
    await step(page)
    // A change may be written in several events, and a scroll is written a moment later.
    await eventually(async () => {
      events = (await recorded()).events.map(event => JSON.parse(event))
      expect(events.length).toBeGreaterThan(before)
      expect(playPage(events)).toBe(await showPage(page))
      expect(scrolledTo(events)).toBe(await page.evaluate(() => Math.round(scrollY)))
    })
    shots.push({ at: events.at(-1)!.timestamp, png: await page.screenshot() })
  }
  await page.context().close()

  // The clock of the service stands still, so the recording is moved to it.
  const first = events[0]!.timestamp
  const moved = (at: number): TestEvent[] =>
    events.map(event => ({ ...event, timestamp: event.timestamp - first + at }))
  const { secret } = await storeReplay(service, at => toChunks(moved(at)))
  const viewer = await openViewer(browser, service, secret, { viewport: { width: 1500, height: 1100 } })
  await untilReady(viewer.page)
  for (const [i, { at, png }] of shots.entries()) {
    await seekTo(viewer.page, at - first)
    await eventually(async () =>
      expect([i, await differentPart(viewer.page, png, await playedShot(viewer.page))]).toEqual([
        i,
        'little',
      ]),
    )
  }
  expect(viewer.incidents).toEqual({ requests: [], reports: [] })
  await viewer.page.context().close()
})

/** Where the last recorded scroll of the page ended. */
function scrolledTo(events: readonly RecordedEvent[]): number {
  const { data } = events.findLast(({ type, data }) => type === 3 && data.source === Source.Scroll) ?? {}
  return Math.round(Number(data?.y ?? 0))
}

/** The recorded page alone, in its own size and without the pointer of the player. */
async function playedShot(page: Page): Promise<Buffer> {
  await page.locator('#stage').evaluate((stage: HTMLIFrameElement) => {
    Object.assign(stage.style, { transform: 'none', position: 'fixed', zIndex: '9' })
    const pointer = stage.contentDocument?.querySelector<HTMLElement>('.replayer-mouse')
    if (pointer) pointer.style.display = 'none'
  })
  return page.screenshot({ clip: { x: 0, y: 0, ...SIZE } })
}

/** Returns `little`, or how many of the pixels differ visibly. */
async function differentPart(page: Page, expected: Buffer, actual: Buffer): Promise<string> {
  const context = await page.context().browser()!.newContext()
  try {
    const blank = await context.newPage()
    const part = await blank.evaluate(
      async ([a, b]) => {
        const pixels = async (data: string) => {
          const blob = await (await fetch(`data:image/png;base64,${data}`)).blob()
          const image = await createImageBitmap(blob)
          const canvas = new OffscreenCanvas(image.width, image.height)
          const drawing = canvas.getContext('2d')!
          drawing.drawImage(image, 0, 0)
          return drawing.getImageData(0, 0, image.width, image.height)
        }
        const [left, right] = await Promise.all([pixels(a!), pixels(b!)])
        if (left.width !== right.width || left.height !== right.height) return 1
        let different = 0
        for (let i = 0; i < left.data.length; i += 4) {
          const far = [0, 1, 2].some(c => Math.abs(left.data[i + c]! - right.data[i + c]!) > 48)
          if (far) different++
        }
        return different / (left.data.length / 4)
      },
      [expected.toString('base64'), actual.toString('base64')],
    )
    return part <= TOLERANCE ? 'little' : String(part)
  } finally {
    await context.close()
  }
}
