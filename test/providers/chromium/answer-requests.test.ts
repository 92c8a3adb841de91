import { expect, test } from 'vitest'
import type { OutboundClient, OutboundResponse } from '#core/outbound/outbound-client'
import { createRequestAnswerer } from '#providers/chromium/answer-requests'
import type { CdpConnection } from '#providers/chromium/cdp-connection'

/**
 * A page may ask for forty files of 5 MB at once, which are 5 KB each on their way: all of them together, as
 * bytes, as Base64 and as messages, took 640 MB of the service.
 */

const SITE = 'https://shop.example/'
const AT_ONCE = 6

/** A browser and servers that answer when the test says so. */
function setUp(options: { body?: number; fails?: (path: string) => boolean } = {}) {
  const { body = 10, fails = () => false } = options
  const held = { fetched: [] as PromiseWithResolvers<void>[], sent: [] as PromiseWithResolvers<void>[] }
  const methods: string[] = []
  let [inHand, most] = [0, 0]
  const client: OutboundClient = {
    async fetch(url) {
      inHand += 1
      most = Math.max(most, inHand)
      const hold = Promise.withResolvers<void>()
      held.fetched.push(hold)
      await hold.promise
      if (fails(new URL(url).pathname)) {
        inHand -= 1
        throw new Error('no answer')
      }
      return { status: 200, headers: {}, body: new Uint8Array(body), url } as unknown as OutboundResponse
    },
  }
  const browser = {
    async send(method: string) {
      methods.push(method)
      if (method !== 'Fetch.fulfillRequest') return {}
      const hold = Promise.withResolvers<void>()
      held.sent.push(hold)
      await hold.promise
      inHand -= 1
      return {}
    },
  } as unknown as CdpConnection
  const requests = createRequestAnswerer(client, new URL(SITE), new AbortController().signal)
  const ask = (path: string) =>
    requests.answer(
      browser,
      's',
      {
        ...{ requestId: path, frameId: 'main', resourceType: 'Fetch' },
        request: { url: `${SITE}${path}`, method: 'GET', headers: {} },
      },
      'main',
    )
  /** Lets everything go on that waits, until the work has ended. */
  async function goOn(work: Promise<unknown>): Promise<void> {
    let isOver = false
    const end = work.finally(() => {
      isOver = true
    })
    while (!isOver) {
      for (const hold of [...held.fetched.splice(0), ...held.sent.splice(0)]) hold.resolve()
      await new Promise(resolve => setImmediate(resolve))
    }
    await end
  }
  return { requests, ask, goOn, methods, mostInHand: () => most, inHand: () => inHand, held }
}

test('of forty requests at once, six are in hand at the same time, and all are answered', async () => {
  const { requests, ask, goOn, methods, mostInHand } = setUp()
  const asked = Promise.all(Array.from({ length: 40 }, (_, i) => ask(`file-${i}`)))
  expect(requests.waiting()).toBe(40)
  await goOn(asked)
  expect(mostInHand()).toBe(AT_ONCE)
  expect(methods).toEqual(Array(40).fill('Fetch.fulfillRequest'))
  expect(requests.waiting()).toBe(0)
})

test('a response is in hand until the browser has taken it', async () => {
  const { ask, goOn, held, inHand } = setUp()
  const asked = Promise.all(Array.from({ length: 20 }, (_, i) => ask(`file-${i}`)))
  await new Promise(resolve => setImmediate(resolve))
  for (const hold of held.fetched.splice(0)) hold.resolve()
  await new Promise(resolve => setImmediate(resolve))
  // The browser takes none of them, so no other one is fetched.
  expect([inHand(), held.fetched.length]).toEqual([AT_ONCE, 0])
  await goOn(asked)
})

test('servers that do not answer free their places', async () => {
  const { ask, goOn, methods } = setUp({ fails: path => path.includes('bad') })
  const asked = Array.from({ length: 30 }, (_, i) => ask(i < 20 ? `bad-${i}` : `good-${i}`))
  await goOn(Promise.all(asked))
  expect(methods.filter(method => method === 'Fetch.failRequest')).toHaveLength(20)
  expect(methods.filter(method => method === 'Fetch.fulfillRequest')).toHaveLength(10)
})

test('requests that wait for their place are not sent once the pages have had their bytes', async () => {
  const { requests, ask, goOn, methods } = setUp({ body: 5_000_000 })
  const asked = Promise.all(Array.from({ length: 40 }, (_, i) => ask(`file-${i}`)))
  await goOn(asked)
  const loaded = methods.filter(method => method === 'Fetch.fulfillRequest').length
  // Thirty million bytes, and what is in hand when they are reached.
  expect(loaded).toBeLessThan(6 + AT_ONCE)
  expect(methods).toHaveLength(40)
  expect(requests.unsent()).toHaveLength(10)
})
