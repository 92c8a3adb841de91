import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createOutboundClient } from '#core/outbound/outbound-client'
import { createRenderer } from '#providers/chromium/create-renderer'
import { createNetwork } from '#providers/network'
import { systemClock } from '#providers/system-clock'
import { unpackChromium } from '#test/setup/unpack-chromium'

/** Rendering with the real Chromium and the guarded client, which may reach the hosts of the test alone. */

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

type Respond = (request: IncomingMessage, response: ServerResponse) => void

/** Serves `site.test`; other hosts have no address. */
async function open(
  pages: Record<string, string | Respond>,
  { isSingleProcess = false, pageMs = 200_000, restMs = 200_000 } = {},
) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(`${request.method} ${path}`)
    const page = pages[path.split('?')[0] ?? '']
    if (page === undefined) return void response.writeHead(404).end()
    if (typeof page !== 'string') return page(request, response)
    const type = path.endsWith('.js')
      ? 'text/javascript'
      : path.endsWith('.json')
        ? 'application/json'
        : 'text/html'
    response.setHeader('content-type', `${type}; charset=utf-8`).end(page)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-render-test-'))
  cleanups.push(() => rm(tempDir, { recursive: true, force: true }))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const client = createOutboundClient({
    clock: systemClock,
    network: { ...createNetwork(), addresses: async host => (host === 'site.test' ? ['127.0.0.1'] : []) },
    userAgent: 'FootfallScan/1.0 (+https://footfall.example/)',
    // An address in a URL is checked as such. Names lead to 127.0.0.1, which the URL of a page must not name.
    policy: { isAllowedAddress: () => true, isAllowedPort: allowed => allowed === port },
  })
  const renderer = createRenderer({
    client,
    findChromium: unpackChromium,
    tempDir,
    isSingleProcess,
    pageMs,
    restMs,
  })
  const url = (path: string) => `http://site.test:${port}${path}`
  return { renderer, requests, tempDir, port, url }
}

const SIGNAL = () => AbortSignal.timeout(250_000)

/** Processes whose command line names the folder. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder)
    } catch {
      return false
    }
  })
}

describe.each([
  ['several processes', false],
  ['one process, as on AWS', true],
])('in a browser of %s', (_, isSingleProcess) => {
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
      { isSingleProcess },
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

/** Every way out of a page that we know, to an address of this machine. */
const WAYS_OUT = (tcp: number, udp: number) => `<!doctype html>
<link rel="dns-prefetch" href="http://127.0.0.1:${tcp}/dns"><link rel="preconnect" href="http://127.0.0.1:${tcp}">
<link rel="prefetch" href="http://127.0.0.1:${tcp}/prefetch"><link rel="preload" as="script" href="http://localhost:${tcp}/preload">
<link rel="icon" href="http://127.0.0.1:${tcp}/icon"><link rel="manifest" href="http://127.0.0.1:${tcp}/manifest">
<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://127.0.0.1:${tcp}/speculated"]}]}</script>
<img src="http://127.0.0.1:${tcp}/img"><iframe src="http://127.0.0.1:${tcp}/frame"></iframe><video src="http://[::1]:${tcp}/video"></video>
<object data="http://127.0.0.1:${tcp}/object"></object><a id="ping" href="#x" ping="http://127.0.0.1:${tcp}/ping">x</a>
<form id="form" action="http://127.0.0.1:${tcp}/form" method="post" target="_blank"></form><h1 id="done"></h1>
<script>
const base = 'http://127.0.0.1:${tcp}'
// The page rests only when this has its answer, after all attempts.
fetch('/hold').catch(() => {})
const attempts = [
  () => fetch(base + '/fetch'), () => fetch(base + '/post', { method: 'POST', mode: 'no-cors', body: 'x' }),
  () => fetch(base + '/keepalive', { keepalive: true }), () => navigator.sendBeacon(base + '/beacon', 'x'),
  () => new WebSocket('ws://127.0.0.1:${tcp}/socket'), () => new WebSocket('ws://site.test:${tcp}/socket'),
  () => new EventSource(base + '/events'), () => new SharedWorker(URL.createObjectURL(new Blob(['fetch("' + base + '/shared")']))),
  () => new Worker(URL.createObjectURL(new Blob(['fetch("' + base + '/worker"); new WebSocket("ws://127.0.0.1:${tcp}/w")']))),
  () => navigator.serviceWorker.register('/worker.js'), () => window.open(base + '/window'), () => ping.click(), () => form.submit(),
  () => new WebTransport('https://127.0.0.1:${udp}/transport').ready, () => import(base + '/module.js'),
  () => { const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${udp}' }, { urls: 'turn:127.0.0.1:${tcp}?transport=tcp', username: 'a', credential: 'b' }] })
    peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)) },
  () => { const other = document.createElement('iframe'); document.body.append(other); other.contentWindow.fetch(base + '/inner') },
  () => { const download = document.createElement('a'); download.href = base + '/file'; download.download = 'f'; download.click() },
  () => alert('stop'), () => { location.hash = 'moved' },
]
for (const attempt of attempts) try { Promise.resolve(attempt()).catch(() => {}) } catch {}
setTimeout(() => { done.textContent = 'all tried'; fetch('/tried').catch(() => {}) }, 400)
</script>`

test('nothing but the guarded client connects to anything, whatever a page tries', async () => {
  const connections: string[] = []
  const tcp = createTcpServer(socket => {
    connections.push('tcp')
    socket.destroy()
  }).listen(0, '::')
  await once(tcp, 'listening')
  cleanups.push(() => tcp.close())
  const udp = createSocket('udp4', () => void connections.push('udp')).bind(0, '127.0.0.1')
  await once(udp, 'listening')
  udp.on('message', () => void connections.push('udp'))
  cleanups.push(() => udp.close())
  const tcpPort = (tcp.address() as AddressInfo).port
  const tried = Promise.withResolvers<void>()
  const { renderer, requests, url, tempDir } = await open({
    '/': WAYS_OUT(tcpPort, udp.address().port),
    '/worker.js': `self.addEventListener('install', () => fetch('http://127.0.0.1:${tcpPort}/service'))`,
    '/hold': (_, response) => void tried.promise.then(() => response.end()),
    '/tried': (_, response) => {
      response.end()
      tried.resolve()
    },
  })
  const { pages } = await renderer.render([url('/')], SIGNAL())
  expect(pages.get(url('/'))).toHaveProperty('html', expect.stringContaining('all tried'))
  expect(connections).toEqual([])
  expect(requests.filter(request => !/^GET \/(worker\.js|hold|tried)?$/.test(request))).toEqual([])
  expect(await readdir(tempDir)).toEqual([])
})

test('the listener of this test hears a connection', async () => {
  let connections = 0
  const { port } = await open({})
  const tcp = createTcpServer(() => void connections++).listen(0, '::')
  await once(tcp, 'listening')
  cleanups.push(() => tcp.close())
  const heard = once(tcp, 'connection')
  const socket = connect((tcp.address() as AddressInfo).port, '127.0.0.1')
  cleanups.push(() => socket.destroy())
  await heard
  expect([connections, port > 0]).toEqual([1, true])
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
