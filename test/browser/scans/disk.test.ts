import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createRenderer } from '#providers/chromium/create-renderer'
import { HAS_ENDED } from '#providers/chromium/render-page'
import { MAX_DISK } from '#providers/chromium/start-browser'
import { unpackChromium } from '#test/setup/unpack-chromium'
import { OWN_FENCE, processesOf, SIGNAL } from './open-renderer.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** Chunks of 4 MB that a page writes: half more than it may. */
const CHUNKS = Math.ceil((1.5 * MAX_DISK) / 4_000_000)

/** Shows the page `script` of a site with https, because only such a page may use all kinds of storage. */
async function show(script: string) {
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-disk-test-'))
  cleanups.push(() => rm(tempDir, { recursive: true, force: true }))
  const html = `<h1 id="out">-</h1><script>
    const chunk = new Uint8Array(4e6)
    for (let at = 0; at < chunk.length; at += 65536) crypto.getRandomValues(chunk.subarray(at, at + 65536))
    const keepsWaiting = fetch('/never')
    const write = async () => { ${script} }
    write().catch(error => { out.textContent = error })
  </script>`
  const page = (url: string) => ({
    ...{ url, status: 200, headers: { 'content-type': 'text/html' } },
    ...{ body: Buffer.from(html), redirects: [], isCut: false },
  })
  const client = {
    fetch: (url: string) =>
      url.endsWith('/never') ? new Promise<never>(() => {}) : Promise.resolve(page(url)),
  }
  const renderer = createRenderer({
    ...{ client, findChromium: unpackChromium, tempDir, fence: OWN_FENCE, pageMs: 60_000, restMs: 60_000 },
  })
  const { pages } = await renderer.render(['https://site.test/'], SIGNAL())
  return { page: pages.get('https://site.test/'), tempDir }
}

test.each([
  [
    'IndexedDB',
    `const request = indexedDB.open('x')
     request.onupgradeneeded = () => request.result.createObjectStore('s')
     await new Promise(resolve => { request.onsuccess = resolve })
     for (let i = 0; i < ${CHUNKS}; i++) await new Promise((resolve, reject) => {
       const writing = request.result.transaction('s', 'readwrite')
       writing.objectStore('s').put(chunk, i)
       writing.oncomplete = resolve
       writing.onerror = writing.onabort = reject
     })`,
  ],
  [
    'the file system of its origin',
    `const root = await navigator.storage.getDirectory()
     for (let i = 0; i < ${CHUNKS}; i++) {
       const file = await (await root.getFileHandle('f' + i, { create: true })).createWritable()
       await file.write(chunk)
       await file.close()
     }`,
  ],
  [
    'caches of responses',
    `const cache = await caches.open('x')
     for (let i = 0; i < ${CHUNKS}; i++) await cache.put('/f' + i, new Response(chunk))`,
  ],
])(
  'a page that writes more to %s than it may ends its browser, and nothing of it stays',
  async (_, script) => {
    const { page, tempDir } = await show(script)
    expect(page).toEqual({ problem: HAS_ENDED })
    expect([await readdir(tempDir), processesOf(tempDir)]).toEqual([[], []])
  },
)
