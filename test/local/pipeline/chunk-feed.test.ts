import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLiveBuffer } from '#core/live/buffer'
import { toWritten } from '#core/live/chunk'
import { createLiveConsumer } from '#core/live/consumer'
import { MAX_WAITING_BYTES } from '#core/live/new-chunks'
import { createTails, TAIL_DEFAULTS } from '#core/live/tails'
import { createFeedReceiver, createFeedSender, type FeedMessage } from '#local/pipeline/chunk-feed'
import { eventually } from '#test/support/eventually'
import { createFakeClock } from '#test/support/fake-clock'
import { liveRecord, toEntry } from '#test/support/live-records'
import { NO_LINKS } from '#test/support/no-links'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 22, 12)

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/**
 * The tails of the thread of the requests and the consumer of the pipeline thread, whose messages arrive a
 * turn later.
 */
function openFeed(maxWaitingBytes = MAX_WAITING_BYTES) {
  const clock = createFakeClock(NOW)
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  let sender = startSender()
  const receiver = createFeedReceiver(command => void setImmediate(() => sender.receive(command)))
  const tails = createTails({ buffer, users: NO_LINKS, clock, log: () => {}, feed: receiver }, TAIL_DEFAULTS)
  const messages: FeedMessage[] = []

  function startSender() {
    const post = (message: FeedMessage) => {
      messages.push(message)
      receiver.receive(structuredClone(message))
    }
    return createFeedSender(post, clock, maxWaitingBytes)
  }

  let sequence = 0
  async function send(project: string, events: string[], isFed = true): Promise<void> {
    sequence += 1
    const record = liveRecord(
      sequence,
      clock.time,
      events.map(event => ({ event })),
    )
    const onCopied = isFed ? sender.send : () => {}
    await createLiveConsumer({ buffer, onCopied }).consumeBatch('s', [toEntry(record, project)])
  }

  /** Follows a project. Returns the names of its events so far. */
  function follow(project: string): string[] {
    const subscription = tails.subscribe(project)
    const names: string[] = []
    let isOpen = true
    onTestFinished(async () => {
      isOpen = false
      subscription.wake()
      await subscription.close()
    })
    const run = async () => {
      while (isOpen) names.push(...(await subscription.next()).map(({ event }) => event))
    }
    void run()
    return names
  }

  function restart(): void {
    sender = startSender()
    receiver.restart()
  }

  return { clock, messages, send, follow, restart }
}

test('a stream gets the events around its start once, those of its project only, in parts that let requests pass', async () => {
  const { messages, send, follow } = openFeed()
  await send('feed_a', ['before'])
  const names = follow('feed_a')
  await send('feed_a', ['at the start'])
  await eventually(() => expect(messages.map(({ kind }) => kind)).toContain('following'))
  const many = Array.from({ length: 100 }, (_, i) => `e${i}`)
  await send('feed_a', many)
  await send('feed_b', ['foreign'])
  await eventually(() => expect(names).toHaveLength(102))
  expect(names).toEqual(['before', 'at the start', ...many])
  // On a busy machine the stream may find the events in the buffer before the feed has sent its parts.
  await eventually(() => {
    const sizes = messages.flatMap(message => (message.kind === 'chunk' ? [message.chunk.events.length] : []))
    expect(Math.max(...sizes)).toBe(40)
  })
})

test('after the consumer has started again, a stream gets what it has missed, and nothing twice', async () => {
  const { clock, send, follow, restart } = openFeed()
  const names = follow('feed_c')
  await send('feed_c', ['first'])
  await eventually(() => expect(names).toEqual(['first']))
  clock.time += 60_000
  await send('feed_c', ['missed'], false)
  restart()
  await eventually(() => expect(names).toEqual(['first', 'missed']))
  await send('feed_c', ['after'])
  await eventually(() => expect(names).toEqual(['first', 'missed', 'after']))
})

test('a stream gets each event once from the buffer when more of them wait than the feed keeps', async () => {
  const { clock, messages, send, follow } = openFeed(2_000)
  const names = follow('feed_d')
  await eventually(() => expect(messages).toHaveLength(1))
  const sent: string[] = []
  for (const count of [100, 1, 1, 100, 1]) {
    const part = Array.from({ length: count }, () => `e${sent.length}`)
    sent.push(...part)
    await send('feed_d', part)
    // So late that a chunk which comes next hides what is missing before it.
    clock.time += 60_000
  }
  await eventually(() => expect(names.length).toBeGreaterThanOrEqual(sent.length))
  expect(names.toSorted()).toEqual(sent.toSorted())
  expect(messages.filter(({ kind }) => kind === 'following').length).toBeGreaterThan(1)
})

test('events that wait for the thread of the requests have a bound in bytes, and the stream is told to read the buffer', async () => {
  const messages: FeedMessage[] = []
  const sender = createFeedSender(message => messages.push(message), createFakeClock(NOW))
  sender.receive({ kind: 'follow', projectId: 'p' })
  const events = Array.from({ length: 125 }, () => ({ properties: { text: 'x'.repeat(8_000) } }))
  // A megabyte each, in one turn, so that none of them is sent meanwhile.
  const records = Array.from({ length: 50 }, (_, i) => toWritten(liveRecord(i + 1, NOW, events)))
  for (const record of records) sender.send('s', new Map([['p', [record]]]))
  await eventually(() => expect(messages.filter(({ kind }) => kind === 'following')).toHaveLength(2))
  await eventually(() => expect(messages.at(-1)?.kind).toBe('chunk'))
  const bytes = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
  expect(bytes).toBeLessThan(2 * MAX_WAITING_BYTES)
})
