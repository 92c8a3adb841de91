import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLiveBuffer } from '#core/live/buffer'
import { createLiveConsumer } from '#core/live/consumer'
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
function openFeed() {
  const clock = createFakeClock(NOW)
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  let sender = startSender()
  const receiver = createFeedReceiver(command => void setImmediate(() => sender.receive(command)))
  const tails = createTails({ buffer, users: NO_LINKS, clock, log: () => {}, feed: receiver }, TAIL_DEFAULTS)
  const messages: FeedMessage[] = []

  function startSender() {
    return createFeedSender(message => {
      messages.push(message)
      receiver.receive(structuredClone(message))
    }, clock)
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
