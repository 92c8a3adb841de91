import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type StreamSettings, streamBlocks } from '#core/live/event-stream'
import { createSubscriber } from '#core/live/subscriber'
import type { TailEvent } from '#core/live/tails'
import { routes } from '#schemas/routes'
import { createFakeClock } from '#test/support/fake-clock'

const START = Date.UTC(2026, 10, 22, 12)
const NEVER = Number.POSITIVE_INFINITY
const stopping = new AbortController()
let close = async () => {}
afterEach(() => close())

/** A stream without events, and the blocks that it sends. */
function openStream(settings: Partial<StreamSettings>, clock = createFakeClock(START)) {
  const subscriber = createSubscriber<TailEvent>(1_000)
  const services = {
    buffer: {} as never,
    tails: { subscribe: () => ({ ...subscriber, close: async () => {} }), toTailEvents: async () => [] },
    clock,
    settings: { heartbeatMs: NEVER, checkMs: NEVER, idleMs: NEVER, maxMs: NEVER, ...settings },
  }
  const request = {
    project: { id: 'proj_1', name: 'shop' },
    filter: { events: [], pairs: [] },
    lastEventId: undefined,
    maxEvents: 100,
    maxBytes: 4_000_000,
    mayGoOn: async () => true,
  }
  const blocks = streamBlocks(services, request, stopping.signal)
  close = async () => {
    subscriber.wake()
    await blocks.return(undefined)
  }
  const next = async () => {
    const { value, done } = await blocks.next()
    return done
      ? 'end'
      : Buffer.from(value)
          .toString()
          .split(/[\n\s]/, 1)[0]
  }
  return { clock, next }
}

test('one sleep serves all times of a stream, however often they start again', async () => {
  const { clock, next } = openStream({ heartbeatMs: 1_000, checkMs: 1_500, maxMs: 10_500 })
  expect(await next()).toBe('event:')
  const got: (string | undefined)[] = []
  for (let second = 1; second <= 10; second++) {
    const block = next()
    await new Promise(setImmediate)
    expect(clock.sleepers()).toBe(1)
    clock.advance(1_000)
    got.push(await block)
  }
  expect(got).toEqual(Array(10).fill(':heartbeat'))
  const end = next()
  clock.advance(500)
  expect(await end).toBe('end')
  expect(clock.sleepers()).toBe(0)
})

test('a clock that is set back by hours does not silence a stream', async () => {
  const wakes: (() => void)[] = []
  const clock = createFakeClock(START)
  const sleep = () => new Promise<void>(resolve => void wakes.push(resolve))
  const { next } = openStream({ heartbeatMs: 30_000 }, Object.assign(clock, { sleep }))
  expect(await next()).toBe('event:')
  const block = next()
  await new Promise(setImmediate)
  clock.time -= 3_600_000
  wakes[0]?.()
  expect(await block).toBe(':heartbeat')
})

test('every kind of block is in the contract of the stream', () => {
  const root = resolve(import.meta.dirname, '../../..')
  const read = (path: string) => readFileSync(resolve(root, path), 'utf8')
  const sources = globSync('core/live/*.ts', { cwd: root }).map(read).join('\n')
  const kinds = [...sources.matchAll(/event: (\w+)\\ndata/g)].map(([, kind]) => kind as string)
  expect(kinds.length).toBeGreaterThanOrEqual(2)
  const page = read('docs/api/live.md')
  const { description } = routes.stream.responses[200]
  for (const kind of kinds) {
    expect(page).toContain(`\`event: ${kind}\``)
    expect(description).toContain(`\`${kind}\``)
  }
})
