import { afterEach, describe, expect, test } from 'vitest'
import { OutboundFailure } from '#core/outbound/outbound-failure'
import type { Rendered, Renderer } from '#core/scans/render'
import { RUN_MS } from '#core/scans/running-scans'
import type { ScanJob } from '#core/scans/scan'
import { FREE, type OpenScansOptions, openScans, tellingReader } from './test-scans.ts'

const opened: Awaited<ReturnType<typeof openScans>>[] = []
afterEach(async () => {
  for (const scans of opened.splice(0)) await scans.close()
})

async function open(options: OpenScansOptions) {
  const scans = await openScans(options)
  opened.push(scans)
  return scans
}

const HOME = 'https://example.com/'
const full = { url: HOME, isFull: true }

test('the example calls of an analysis for a project name that project', async () => {
  const asked: unknown[] = []
  const reader: typeof tellingReader = {
    ...tellingReader,
    advise(findings, options) {
      asked.push(options.project)
      return tellingReader.advise(findings, options)
    },
  }
  const { scans } = await open({ answer: () => '<h1>Shop</h1>', reader })
  const project = { id: 'proj_1', allowed_origins: 'https://example.com' } as never
  await scans.start({ ...full, project }, FREE as never)
  await scans.start({ url: 'https://example.org/', isFull: true }, FREE as never)
  expect(asked).toEqual(['proj_1', null])
})

describe('a full analysis', () => {
  test('reads the pages that links and the sitemap name, but not what robots.txt refuses, and says so', async () => {
    const { scans, network } = await open({
      answer: url => {
        const { pathname } = new URL(url)
        if (pathname === '/')
          return '<a href="/pricing">Pricing</a><a href="/private/x">Private</a><a href="/gone">Gone</a>'
        if (pathname === '/robots.txt')
          return 'User-agent: *\nDisallow: /private\nSitemap: https://example.com/map.xml'
        if (pathname === '/map.xml')
          return '<urlset><url><loc>https://example.com/from-map</loc></url></urlset>'
        if (pathname === '/elsewhere') return { status: 302, headers: { location: 'https://example.org/' } }
        return pathname === '/gone' ? null : `<h1>${pathname}</h1>`
      },
    })
    const view = await scans.start(full, FREE as never)
    expect(view.full?.coverage).toEqual({
      pages: [HOME, `${HOME}pricing`, `${HOME}from-map`].map(url => ({ url, status: 200, rendered: false })),
      not_reached: [
        { url: `${HOME}private/x`, reason: 'robots.txt does not allow it' },
        { url: `${HOME}gone`, reason: 'the server answers with status 404' },
      ],
      rendering: 'not_needed',
    })
    expect(network.requests).not.toContain(`${HOME}private/x`)
  })

  test('reads at most 25 further pages of a site without end, and no page of another site', async () => {
    const { scans, network } = await open({
      answer: url =>
        url.endsWith('.txt')
          ? null
          : Array.from(
              { length: 400 },
              (_, i) => `<a href="/p${'x'.repeat(i + 1)}">n</a><a href="https://example.org/${i}">o</a>`,
            ).join(''),
    })
    const view = await scans.start(full, FREE as never)
    expect(view.full?.coverage.pages).toHaveLength(26)
    expect(network.requests.every(url => new URL(url).hostname === 'example.com')).toBe(true)
  })

  test('of a site whose robots.txt fails reads the first page alone', async () => {
    const { scans } = await open({
      answer: url => (url.endsWith('robots.txt') ? { status: 503 } : '<a href="/a">A</a>'),
    })
    const { full: stored } = await scans.start(full, FREE as never)
    expect(stored?.coverage.pages).toHaveLength(1)
    expect(stored?.coverage.not_reached).toEqual([
      { url: `${HOME}a`, reason: 'robots.txt does not allow it' },
    ])
  })

  test('does not follow a page to another site or to the own network', async () => {
    const targets: Record<string, string> = {
      '/other': 'https://example.org/',
      '/inside': 'http://169.254.169.254/',
    }
    const { scans, network } = await open({
      answer: url => {
        const location = targets[new URL(url).pathname]
        if (location !== undefined) return { status: 302, headers: { location } }
        return url.endsWith('.txt') ? null : '<a href="/other">1</a><a href="/inside">2</a>'
      },
    })
    const { full: stored } = await scans.start(full, FREE as never)
    expect(stored?.coverage.not_reached).toEqual([
      { url: `${HOME}other`, reason: 'it leads to another site' },
      { url: `${HOME}inside`, reason: 'it leads to an address that is not public' },
    ])
    expect(network.requests.some(url => url.includes('169.254'))).toBe(false)
  })
})

describe('an analysis fails with a reason', () => {
  test.each([
    [
      'a page that is not there',
      { status: 404 },
      'cannot be analysed: the server answers with status 404. Check',
    ],
    ['a server error', { status: 500 }, 'the server answers with status 500'],
    ['a refusal', { status: 403 }, 'the server answers with status 403'],
    [
      'a file',
      { headers: { 'content-type': 'application/pdf' }, body: '%PDF' },
      'it is no web page but application/pdf',
    ],
    ['no content', { status: 204 }, 'status 204 and no page'],
  ])('%s', async (_, answer, message) => {
    const { scans } = await open({ answer: () => answer })
    const error = await scans.start({ url: HOME, isFull: false }, FREE as never).catch(error => error)
    expect([error.code, error.status]).toEqual(['SCAN_FAILED', 502])
    expect(error.message).toContain(message)
    const { scan } = await scans.read(error.extras.fields.analysis_id, FREE)
    expect([scan.status, scan.stage, scan.failure?.reason]).toEqual(['failed', 'done', error.message])
  })

  test('a server that cannot be reached', async () => {
    const { scans } = await open({
      answer: () => {
        throw new OutboundFailure('connect', 'The server of example.com does not accept a connection.')
      },
    })
    await expect(scans.start({ url: HOME, isFull: false }, FREE as never)).rejects.toMatchObject({
      code: 'SCAN_FAILED',
      message: `The page ${HOME} cannot be fetched. The server of example.com does not accept a connection. Check the address, then start another analysis.`,
    })
  })

  test('a name or a redirect that leads into the own network, with INVALID_URL', async () => {
    const { scans, network } = await open({
      answer: () => ({ status: 302, headers: { location: 'http://127.0.0.1:9200/' } }),
    })
    await expect(scans.start({ url: HOME, isFull: false }, FREE as never)).rejects.toMatchObject({
      code: 'INVALID_URL',
    })
    network.addresses = async () => ['10.0.0.7']
    await expect(scans.start({ url: HOME, isFull: false }, FREE as never)).rejects.toMatchObject({
      code: 'INVALID_URL',
    })
    expect(network.requests).toEqual([HOME])
  })

  test('a bug, which is logged and whose text the caller does not see', async () => {
    const readSite = () => {
      throw new TypeError('secret of the code')
    }
    const { scans, logged } = await open({
      answer: () => '<h1>x</h1>',
      reader: { ...tellingReader, readSite },
    })
    const error = await scans.start({ url: HOME, isFull: false }, FREE as never).catch(error => error)
    expect([error.code, error.message.includes('secret')]).toEqual(['SCAN_FAILED', false])
    expect(logged).toEqual([expect.stringMatching(/^SCAN_BROKEN .*secret of the code/)])
  })
})

describe('after a kill', () => {
  test('what ran is begun again by the next process, and what a late run of the old one writes does not count', async () => {
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
    let calls = 0
    const { scans, worker, jobs, running, resume, store } = await open({
      isHeld: true,
      waitMs: 0,
      answer: async () => {
        calls += 1
        if (calls > 1) return '<h1>second</h1>'
        await gate
        return '<h1>first</h1>'
      },
    })
    const { scan } = await scans.start({ url: HOME, isFull: false }, FREE as never)
    const first = worker.run(jobs[0] as never)
    await expect.poll(() => calls).toBe(1)
    // A second delivery of the same job does nothing while the first one runs.
    await worker.run(jobs[0] as never)
    expect(calls).toBe(1)
    await resume(true)
    expect(jobs).toHaveLength(2)
    await worker.run(jobs[1] as never)
    openGate()
    await first
    expect((await scans.read(scan.id, FREE)).preview?.result.framing).toContain('second')
    expect((await store.find(scan))?.attempts).toBe(2)
    expect(await running.list()).toEqual([])
    // Once more, as a queue delivers at least once.
    await worker.run(jobs[1] as never)
    expect(calls).toBe(2)
  })

  test('a worker that never came back is replaced when its time is over, three times at most', async () => {
    const { scans, worker, jobs, resume, store, wait } = await open({
      isHeld: true,
      waitMs: 0,
      answer: () => '<h1>x</h1>',
    })
    const { scan } = await scans.start({ url: HOME, isFull: false }, FREE as never)
    for (let kills = 1; kills <= 3; kills++) {
      await resume(false)
      expect(jobs).toHaveLength(kills)
      const found = await store.find(scan)
      await store.begin(found as never, `killed-${kills}`)
      wait(RUN_MS.preview)
    }
    await resume(false)
    await worker.run(jobs.at(-1) as never)
    expect((await scans.read(scan.id, FREE)).scan.failure?.reason).toContain(
      'could not be read in three attempts',
    )
  })

  test('attempts that another analysis has ended do not count, and one that has stopped its worker fails unread', async () => {
    const { scans, worker, jobs, store, running, network } = await open({
      isHeld: true,
      waitMs: 0,
      answer: () => '<h1>x</h1>',
    })
    const begin = async (url: string) => {
      const { scan } = await scans.start({ url, isFull: true }, FREE as never)
      for (let ended = 0; ended < 4; ended++)
        await store.begin((await store.find(scan)) as never, `ended-${ended}`)
      return { scan, job: { ...(jobs.at(-1) as ScanJob), takesOver: true as const } }
    }
    const innocent = await begin(HOME)
    await worker.run({ ...innocent.job, interrupted: 4 })
    expect((await store.find(innocent.scan))?.status).toBe('succeeded')
    const requests = network.requests.length
    const guilty = await begin('https://other.example.com/')
    await worker.run({ ...guilty.job, hasBlocked: true })
    expect(await store.find(guilty.scan)).toMatchObject({
      status: 'failed',
      failure: { code: 'SCAN_FAILED', reason: expect.stringContaining('takes too long to read') },
    })
    expect(network.requests.length).toBe(requests)
    expect(await running.list()).toEqual([])
  })

  test('a process that stops leaves what it runs to the next one', async () => {
    const stop = new AbortController()
    const { scans, openWorker, jobs, resume, worker } = await open({
      isHeld: true,
      waitMs: 0,
      answer: () => {
        if (stop.signal.aborted) return '<h1>later</h1>'
        stop.abort(new Error('The service stops.'))
        throw stop.signal.reason
      },
    })
    const { scan } = await scans.start({ url: HOME, isFull: false }, FREE as never)
    await expect(openWorker(stop.signal).run(jobs[0] as never)).rejects.toThrow('stops')
    expect((await scans.read(scan.id, FREE)).scan.status).toBe('running')
    await resume(true)
    await worker.run(jobs[1] as never)
    expect((await scans.read(scan.id, FREE)).scan.status).toBe('succeeded')
  })
})

describe('pages that need their scripts', () => {
  const rendererOf = (shown: Record<string, Rendered>, isAvailable = true) => {
    const asked: string[][] = []
    const renderer: Renderer = {
      refusal: async () => (isAvailable ? null : 'not_available'),
      render: async urls => {
        asked.push([...urls])
        const pages = new Map(urls.flatMap(url => (shown[url] === undefined ? [] : [[url, shown[url]]])))
        return { pages, unsent: [{ url: `${HOME}api`, reason: 'by POST' }] }
      },
    }
    return { renderer, asked }
  }
  const answer = (url: string) => (url.endsWith('.txt') || url.endsWith('.xml') ? null : '<app>')

  test('are read as a browser shows them, also their links', async () => {
    const { renderer, asked } = rendererOf({
      [HOME]: { finalUrl: HOME, html: '<h1>Home</h1><a href="/a">A</a>' },
      [`${HOME}a`]: { finalUrl: `${HOME}a`, html: '<h1>A</h1>' },
    })
    const { scans } = await open({ answer, renderer })
    const { full: stored } = await scans.start(full, FREE as never)
    expect(asked).toEqual([[HOME], [`${HOME}a`]])
    expect(stored?.coverage).toMatchObject({
      rendering: 'used',
      pages: [{ rendered: true }, { rendered: true }],
    })
    expect(stored?.result.framing).toContain('<h1>Home</h1>')
  })

  test('a browser tries the first page twice, because its links lead to the others, and any other once', async () => {
    const asked: string[][] = []
    const shown: Record<string, Rendered[]> = {
      [HOME]: [
        { problem: 'a browser cannot show it' },
        { finalUrl: HOME, html: '<h1>Home</h1><a href="/a">A</a>' },
      ],
      [`${HOME}a`]: [{ problem: 'its scripts do not come to an end' }],
    }
    const renderer: Renderer = {
      refusal: async () => null,
      render: async urls => {
        asked.push([...urls])
        const pages = new Map(urls.map(url => [url, shown[url]?.shift() as Rendered]))
        return { pages, unsent: [{ url: `${HOME}api/${asked.length}`, reason: 'by POST' }] }
      },
    }
    const { scans } = await open({ answer, renderer })
    const { full: stored } = await scans.start(full, FREE as never)
    expect(asked).toEqual([[HOME], [HOME], [`${HOME}a`]])
    expect(stored?.coverage).toEqual({
      rendering: 'used',
      pages: [
        { url: HOME, status: 200, rendered: true },
        { url: `${HOME}a`, status: 200, rendered: false },
      ],
      not_reached: [
        { url: `${HOME}a`, reason: 'not rendered: its scripts do not come to an end' },
        { url: `${HOME}api/2`, reason: 'by POST' },
        { url: `${HOME}api/3`, reason: 'by POST' },
      ],
    })
  })

  test.each([
    ['not_available', null],
    ['not_available', rendererOf({}, false).renderer],
  ])('are read as they came, and the answer says %s', async (rendering, renderer) => {
    const { scans } = await open({ answer, renderer })
    const { preview } = await scans.start({ url: HOME, isFull: false }, FREE as never)
    expect(preview?.coverage).toEqual({
      pages: [{ url: HOME, status: 200, rendered: false }],
      not_reached: [],
      rendering,
    })
  })
})

describe('a browser without a sandbox', () => {
  const page = { finalUrl: HOME, html: '<h1>Home</h1>' }
  const openAt = (site: (url: string) => string | null) => {
    const asked: string[] = []
    const renderer: Renderer = {
      refusal: async isAnonymous => (isAnonymous ? 'no_sandbox' : null),
      render: async urls => {
        asked.push(...urls)
        return { pages: new Map(urls.map(url => [url, page])), unsent: [] }
      },
    }
    return { asked, scans: open({ answer: site, renderer }) }
  }
  const isPage = (url: string) => !url.endsWith('.txt') && !url.endsWith('.xml')

  test('opens no page for a caller without an account, and the answer says why', async () => {
    const { asked, scans } = openAt(url => (isPage(url) ? '<app>' : null))
    const { preview } = await (await scans).scans.startAnonymous({ url: HOME }, '192.0.2.1')
    expect(asked).toEqual([])
    expect(preview?.coverage).toEqual({
      pages: [{ url: HOME, status: 200, rendered: false }],
      not_reached: [{ url: HOME, reason: expect.stringContaining('has no sandbox') }],
      rendering: 'no_sandbox',
    })
  })

  test('is not missed by a page that needs no scripts', async () => {
    const { scans } = openAt(url => (isPage(url) ? '<h1>Home</h1>' : null))
    const { preview } = await (await scans).scans.startAnonymous({ url: HOME }, '192.0.2.1')
    expect(preview?.coverage).toMatchObject({ rendering: 'not_needed', not_reached: [] })
  })

  test.each([false, true])('opens the pages of an account: its owner decides (full: %s)', async isFull => {
    const { asked, scans } = openAt(url => (isPage(url) ? '<app>' : null))
    const view = await (await scans).scans.start({ url: HOME, isFull }, FREE as never)
    expect(asked).toEqual([HOME])
    expect((isFull ? view.full : view.preview)?.coverage.rendering).toBe('used')
  })
})

test('a page that a browser cannot show is read as it came, and the answer says why', async () => {
  const renderer: Renderer = {
    refusal: async () => null,
    render: async ([url = '']) => ({
      pages: new Map([[url, { problem: 'its scripts did not come to an end' }]]),
      unsent: [{ url: `${HOME}api`, reason: 'asked for by POST' }],
    }),
  }
  const { scans } = await open({ answer: () => '<app>', renderer })
  const { preview } = await scans.start({ url: HOME, isFull: false }, FREE as never)
  expect(preview?.coverage).toEqual({
    pages: [{ url: HOME, status: 200, rendered: false }],
    not_reached: [
      { url: HOME, reason: 'not rendered: its scripts did not come to an end' },
      { url: `${HOME}api`, reason: 'asked for by POST' },
    ],
    rendering: 'failed',
  })
})

test('nothing of the text of a page is kept beside the result', async () => {
  const { scans, state } = await open({
    answer: () => `<h1>Title</h1>${'x'.repeat(200)}A sentence of the page`,
  })
  await scans.start({ url: HOME, isFull: false }, FREE as never)
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  expect(Items.length).toBeGreaterThan(1)
  for (const item of Items) expect(JSON.stringify(item)).not.toContain('A sentence of the page')
})

test('a result that no item can hold is refused', async () => {
  const framing = Array.from({ length: 700_000 }, () => Math.random().toString(36).slice(2, 3)).join('')
  const advise = () => ({ framing }) as never
  const { scans, logged } = await open({ answer: () => '<h1>x</h1>', reader: { ...tellingReader, advise } })
  await expect(scans.start({ url: HOME, isFull: false }, FREE as never)).rejects.toMatchObject({
    code: 'SCAN_FAILED',
  })
  expect(logged).toEqual([expect.stringContaining('too large to keep')])
})
