import { afterEach, expect, test, vi } from 'vitest'
import { createTabState, type TabReplay } from '#replay/recorder/tab-state'
import { createUploads } from '#replay/recorder/uploads'

/** The bounds of what waits in a tab while nobody takes it. */

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function openTab() {
  const values = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  })
  return createTabState('aat_1')
}

const newReplay = (): TabReplay => ({
  ...{ session_id: 's1', start_id: 'a', started_at: 1, url: 'https://shop.test/' },
  ...{ id: null, chunks: 0, bytes: 0, isOpen: true, hasEnded: false },
})

test('a page that is left keeps a million characters for the next one, the oldest first', () => {
  const tab = openTab()
  const replay = newReplay()
  const unsent = Array.from({ length: 12 }, (_, index) => ({
    replay,
    index,
    events: 'x'.repeat(150_000),
  }))
  tab.writeUnsent(unsent)
  expect(tab.readUnsent().map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5])
  tab.writeUnsent([])
  expect(tab.readUnsent()).toEqual([])
})

test('a recording whose chunks nobody takes ends when eight million characters wait, and forgets them', () => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')))
  const refused: TabReplay[] = []
  const tab = openTab()
  const uploads = createUploads({
    ...{ endpoint: 'https://footfall.test', token: 'aat_1', tab, maxBytes: 2_000_000 },
    onRefused: replay => refused.push(replay),
    onFull: () => {},
  })
  const replay = newReplay()
  const events = 'x'.repeat(1_000_000)
  for (let index = 0; index < 8; index++) uploads.add({ replay, index, events })
  expect(refused).toEqual([])
  uploads.add({ replay, index: 8, events })
  expect(refused).toEqual([replay])
  uploads.leave(true)
  expect(tab.readUnsent()).toEqual([])
})

/** The uploads of a page whose service takes everything, and the paths of their requests. */
function openUploads() {
  const sent: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    sent.push(new URL(address).pathname)
    return new Response('{}', { status: 202 })
  })
  vi.stubGlobal('FileReader', NodeFileReader)
  const tab = openTab()
  const uploads = createUploads({
    ...{ endpoint: 'https://footfall.test', token: 'aat_1', tab, maxBytes: 2_000_000 },
    onRefused: () => {},
    onFull: () => {},
  })
  const [replay, other] = ['rpl_1', 'rpl_2'].map(id => ({ ...newReplay(), id, start_id: id }))
  return { sent, tab, uploads, replay: replay!, other: other! }
}

test('a chunk whose replay is dropped while it is compressed is not sent, and that of another replay is', async () => {
  const { sent, uploads, replay, other } = openUploads()
  uploads.add({ replay, index: 0, events: '[]' })
  uploads.add({ replay: other, index: 0, events: '[]' })
  uploads.drop(replay)
  await vi.waitFor(() => expect(sent).toContain('/replay/rpl_2/chunks'))
  expect(sent).toEqual(['/replay/rpl_2/chunks'])
})

test('a page that is left while it compresses a chunk does not write over what the next page has noted', async () => {
  const { sent, tab, uploads, replay, other } = openUploads()
  tab.write(replay)
  uploads.add({ replay, index: 0, events: '[]' })
  uploads.leave(true, replay)
  const ofNextPage = { ...replay, chunks: 7, isOpen: true }
  tab.write(ofNextPage)
  uploads.add({ replay: other, index: 0, events: '[]' })
  await vi.waitFor(() => expect(sent.at(-1)).toBe('/replay/rpl_2/chunks'))
  expect(tab.read()).toEqual(ofNextPage)
})

/** Node has compression, but not this class of browsers. */
class NodeFileReader {
  result = ''
  onload = () => {}
  async readAsDataURL(blob: Blob): Promise<void> {
    const bytes = Buffer.from(await blob.arrayBuffer())
    this.result = `data:application/octet-stream;base64,${bytes.toString('base64')}`
    this.onload()
  }
}
