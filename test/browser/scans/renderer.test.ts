import { readdir } from 'node:fs/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Fence } from '#providers/chromium/fences'
import { OWN_FENCE, openRenderer, processesOf, SIGNAL } from './open-renderer.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})
const open = openRenderer.bind(null, cleanups)

describe.each<[string, Fence]>([
  ['of this machine', OWN_FENCE],
  ['of a function on AWS', 'function'],
])('behind the fence %s', (_, fence) => {
  test('pages are as their scripts leave them, and nothing of the browser stays', async () => {
    const shell =
      '<!doctype html><title>App</title><div id="root"></div><script type="module" src="/app.js"></script>'
    const { renderer, requests, url, tempDir } = await open(
      {
        '/': shell,
        '/plans': shell,
        '/app.js': `
          import { heading } from '/part.js'
          localStorage.setItem('visits', String(1 + Number(localStorage.getItem('visits') ?? 0)))
          const data = await (await fetch('/data.json')).json()
          document.cookie = 'seen=1'
          root.innerHTML = heading(data.name, location.pathname) + '<p>' + localStorage.getItem('visits') + '</p>'
          if (location.pathname === '/') history.replaceState(null, '', '/home')`,
        '/part.js': `export const heading = (name, path) => '<h1>' + name + ' at ' + path + '</h1>'`,
        '/data.json': '{"name":"Zażółć"}',
      },
      { fence },
    )
    const { pages, unsent } = await renderer.render([url('/'), url('/plans')], SIGNAL())
    expect(pages.get(url('/'))).toMatchObject({ finalUrl: url('/home') })
    expect(pages.get(url('/'))).toHaveProperty(
      'html',
      expect.stringContaining('<h1>Zażółć at /</h1><p>1</p>'),
    )
    expect(pages.get(url('/plans'))).toHaveProperty(
      'html',
      expect.stringContaining('<h1>Zażółć at /plans</h1>'),
    )
    expect(unsent).toEqual([])
    expect(new Set(requests)).toEqual(
      new Set(['GET /', 'GET /plans', 'GET /app.js', 'GET /part.js', 'GET /data.json']),
    )
    expect(await readdir(tempDir)).toEqual([])
    expect(processesOf(tempDir)).toEqual([])
    // The next analysis has no memory of this one.
    const again = await renderer.render([url('/')], SIGNAL())
    expect(again.pages.get(url('/'))).toHaveProperty('html', expect.stringContaining('<p>1</p>'))
  })
})

describe('a page', () => {
  test('that asks its site by another method than GET gets nothing, and the result says so', async () => {
    const { renderer, requests, url } = await open({
      '/': `<h1 id="out">-</h1><script>fetch('/graphql', { method: 'POST', body: '{}' }).catch(() => { out.textContent = 'refused' })</script>`,
    })
    const { pages, unsent } = await renderer.render([url('/')], SIGNAL())
    expect(pages.get(url('/'))).toHaveProperty('html', expect.stringContaining('>refused<'))
    expect(unsent).toEqual([
      { url: url('/graphql'), reason: 'a page asks for it by another method than GET' },
    ])
    expect(requests).toEqual(['GET /'])
  })

  test('that asks for more than an analysis loads is cut off', async () => {
    const { renderer, requests, url } = await open({
      // The end is a number of requests and not a time, so that a busy machine gets there too.
      '/': '<h1>Loop</h1><script>let i = 0; const more = () => { if (i < 400) fetch("/n?" + i++).finally(more) }; for (let n = 0; n < 30; n++) more()</script>',
    })
    const { pages, unsent } = await renderer.render([url('/')], SIGNAL())
    expect(pages.get(url('/'))).toHaveProperty('html', expect.stringContaining('Loop'))
    expect(unsent).toEqual([{ url: url('/n'), reason: 'the pages ask for more than an analysis loads' }])
    expect(requests.length).toBe(300)
  })

  test('that asks without end is taken as it is when its time for that is over', async () => {
    const { renderer, requests, url } = await open(
      {
        '/': '<h1>Endless</h1><script>const more = () => fetch("/next").finally(more); more()</script>',
      },
      { restMs: 5_000 },
    )
    const { pages } = await renderer.render([url('/')], SIGNAL())
    expect(pages.get(url('/'))).toHaveProperty('html', expect.stringContaining('Endless'))
    expect(requests.length).toBeLessThanOrEqual(300)
  })

  test('that never ends its scripts is left out with a reason', async () => {
    const { renderer, url, tempDir } = await open(
      {
        '/': '<script>setTimeout(() => { for (;;); }, 10)</script>',
        '/later': '<h1>x</h1>',
      },
      { pageMs: 1_500 },
    )
    const { pages } = await renderer.render([url('/'), url('/later')], SIGNAL())
    expect([...pages]).toEqual([[url('/'), { problem: 'its scripts do not come to an end' }]])
    expect(processesOf(tempDir)).toEqual([])
  })

  test('that leads to another site by a script stays as it was, and the result says so', async () => {
    const { renderer, url } = await open({
      '/': '<h1>Here</h1><script>location = "https://elsewhere.test/app?token=1"</script>',
    })
    const { pages, unsent } = await renderer.render([url('/')], SIGNAL())
    expect(pages.get(url('/'))).toMatchObject({ finalUrl: url('/'), html: expect.stringContaining('Here') })
    expect(unsent).toEqual([
      {
        url: 'https://elsewhere.test/app',
        reason: 'the scripts of a page lead to it, and it is another site',
      },
    ])
  })

  test('that takes all memory ends its browser, not the service', async () => {
    const { renderer, url, tempDir } = await open({
      '/': '<script>fetch("/never"); const all = []; setInterval(() => { for (let i = 0; i < 20; i++) all.push(new Uint8Array(8e6).fill(1)) }, 5)</script>',
      '/never': () => {},
    })
    const { pages } = await renderer.render([url('/')], SIGNAL())
    expect(pages.get(url('/'))).toHaveProperty('problem')
    expect(processesOf(tempDir)).toEqual([])
  })

  test('whose document is larger than the browser may send is left out', async () => {
    const { renderer, url } = await open({
      // The page is not loaded before its script has ended.
      '/': '<body><script>document.body.textContent = "\\u0001".repeat(50e6)</script>',
    })
    const { pages } = await renderer.render([url('/')], SIGNAL())
    expect(pages.get(url('/'))).toHaveProperty('problem')
  })
})

test('a signal ends the rendering, the browser and its folder', async () => {
  const stop = new AbortController()
  const { renderer, url, tempDir } = await open({
    '/': (_, response) => {
      stop.abort(new Error('The service stops.'))
      response.end('<h1>x</h1>')
    },
  })
  await expect(renderer.render([url('/')], stop.signal)).rejects.toThrow('stops')
  expect([await readdir(tempDir), processesOf(tempDir)]).toEqual([[], []])
})

test('a signal that has ended before opens no page, and leaves no rejection that ends the process', async () => {
  const { renderer, url, requests } = await open({ '/': '<h1>x</h1>' })
  const rejected: unknown[] = []
  const note = (error: unknown) => void rejected.push(error)
  process.on('unhandledRejection', note)
  cleanups.push(() => process.off('unhandledRejection', note))
  await expect(renderer.render([url('/')], AbortSignal.abort(new Error('stops')))).rejects.toThrow('stops')
  // A rejection that nobody handles is told after a turn of the event loop.
  await new Promise(resolve => setImmediate(resolve))
  expect([requests, rejected]).toEqual([[], []])
})

test('a browser that does not start is the problem of its pages', async () => {
  const findChromium = async () => ({ executable: '/nowhere/chromium', env: {} })
  const { renderer, url, tempDir } = await open({ '/': '<h1>x</h1>' }, { findChromium })
  const { pages } = await renderer.render([url('/')], SIGNAL())
  expect([...pages]).toEqual([[url('/'), { problem: 'the browser of this service does not start' }]])
  expect(await readdir(tempDir)).toEqual([])
})
