import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLiveBuffer, LATE_MS } from '#core/live/buffer'
import { createLiveConsumer } from '#core/live/consumer'
import { readLive } from '#core/live/read-live'
import { liveRecord, toEntry, writeLive } from '#test/support/live-records'
import { NO_LINKS } from '#test/support/no-links'
import { openTestState, type TestState } from '#test/support/test-state'

const NOW = Date.UTC(2026, 10, 22, 12)
const clock = { now: () => NOW }

let state: TestState
let projects = 0
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/** A buffer, and the snapshot of a new project in it. */
function openProject() {
  const buffer = createLiveBuffer(state, { clock, bufferMs: 300_000 })
  const project = { id: `proj_${++projects}`, name: 'shop' }
  return {
    project,
    buffer,
    write: (...records: ReturnType<typeof liveRecord>[]) => writeLive(buffer, project.id, 's', records),
    async read(seconds = 60, maxEvents = 10_000, maxBytes = 4_000_000) {
      const request = { project, window: { seconds }, maxEvents, maxBytes }
      return (await readLive({ buffer, users: NO_LINKS }, request)).body
    },
  }
}

test('a project without events has zeros and empty lists', async () => {
  expect(await openProject().read()).toEqual({
    project: 'shop',
    window_seconds: 60,
    timestamp: NOW,
    active_visitors: 0,
    active_sessions: 0,
    past_events: 0,
    events_per_minute: 0,
    top_pages: [],
    top_events: [],
    countries: [],
    recent_events: [],
    cursor: String(NOW - LATE_MS),
  })
})

test('users, sessions, pages, names and countries of the window are counted', async () => {
  const { read, write } = openProject()
  await write(
    liveRecord(
      1,
      NOW - 30_000,
      [
        { user_id: 'u1', session_id: 's1', properties: { path: '/b' } },
        { user_id: 'u1', session_id: 's1', properties: { path: '/a' } },
        { user_id: 'u2', session_id: 's2', properties: { path: '/a' }, event: 'signup' },
      ],
      'FR',
    ),
    liveRecord(2, NOW - 20_000, [
      // Without a user the session is the visitor; without both there is none.
      { session_id: 's3', properties: { path: '/a' } },
      { properties: { path: '/c', n: 1 } },
      { properties: { path: 7 } },
    ]),
    liveRecord(3, NOW - 10_000, [{ user_id: 'u1', session_id: 's4' }], 'DE'),
  )
  expect(await read()).toMatchObject({
    active_visitors: 2,
    active_sessions: 4,
    events_per_minute: 7,
    top_pages: [
      { path: '/a', visitors: 3 },
      { path: '/b', visitors: 1 },
      { path: '/c', visitors: 0 },
    ],
    top_events: [
      { event: 'page_view', count: 6 },
      { event: 'signup', count: 1 },
    ],
    countries: [
      { country: 'FR', visitors: 2, sessions: 2, events: 3 },
      { country: 'DE', visitors: 1, sessions: 1, events: 1 },
    ],
  })
})

test('only events that arrived in the window count, whatever their own time is', async () => {
  const { read, write } = openProject()
  await write(
    liveRecord(1, NOW - 120_000, [{ event: 'old', timestamp: NOW }]),
    liveRecord(2, NOW - 60_000, [{ event: 'edge' }]),
    liveRecord(3, NOW - 59_999, [{ event: 'new', timestamp: NOW - 86_400_000 }]),
  )
  expect((await read()).top_events).toEqual([{ event: 'new', count: 1 }])
  expect((await read(10)).top_events).toEqual([])
  const wide = await read(150)
  expect(wide.top_events.map(({ event }) => event)).toEqual(['edge', 'new', 'old'])
  expect(wide.events_per_minute).toBe(1)
})

test('events that are older than five minutes when they arrive count as events, and nobody of them as there now', async () => {
  const { read, write } = openProject()
  const past = (user: string, agoMs: number) => ({
    ...{ user_id: user, session_id: user, properties: { path: `/${user}` }, timestamp: NOW - 1_000 - agoMs },
  })
  await write(
    liveRecord(1, NOW - 1_000, [past('imported', 300_001), past('slow', 300_000)], 'DE'),
    liveRecord(2, NOW - 1_000, [past('older', 86_400_000), past('older', 86_300_000)], 'FR'),
  )
  const { recent_events, ...numbers } = await read()
  expect(numbers).toMatchObject({
    ...{ active_visitors: 1, active_sessions: 1, past_events: 3, events_per_minute: 4 },
    top_pages: [{ path: '/slow', visitors: 1 }],
    top_events: [{ event: 'page_view', count: 4 }],
    countries: [{ country: 'DE', visitors: 1, sessions: 1, events: 1 }],
  })
  expect(recent_events).toHaveLength(4)
})

test('the ten newest arrivals are listed, newest first, with their fields', async () => {
  const { read, write } = openProject()
  await write(
    liveRecord(
      1,
      NOW - 2_000,
      Array.from({ length: 8 }, (_, i) => ({ event: `a${i}` })),
    ),
    liveRecord(
      2,
      NOW - 1_000,
      Array.from({ length: 5 }, (_, i) => ({ event: `b${i}`, timestamp: NOW - 9_000 })),
      'DE',
    ),
  )
  const { recent_events } = await read()
  expect(recent_events.map(({ event }) => event)).toEqual('b4 b3 b2 b1 b0 a7 a6 a5 a4 a3'.split(' '))
  expect(recent_events[0]).toEqual({
    id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    event: 'b4',
    properties: null,
    user_id: null,
    session_id: null,
    timestamp: NOW - 9_000,
    country: 'DE',
  })
})

test('lists of pages and names end after ten, equal counts are in the order of code points', async () => {
  const { read, write } = openProject()
  const names = ['\u{1F600}', '\uFFFD', ...'zyxwvutsrq']
  await write(
    liveRecord(
      1,
      NOW,
      names.map(name => ({ event: name, user_id: 'u', properties: { path: name } })),
    ),
  )
  const { top_events, top_pages } = await read()
  expect(top_events.map(({ event }) => event)).toEqual([...'qrstuvwxyz'])
  expect(top_pages.map(({ path }) => path)).toEqual([...'qrstuvwxyz'])
})

test('the newest bytes count, and the answer says that older ones do not', async () => {
  const { read, write } = openProject()
  const text = 'x'.repeat(20_000)
  for (let i = 1; i <= 5; i++)
    await write(liveRecord(i, NOW - 10_000 + i, [{ event: `e${i}`, properties: { text } }]))
  const all = await read()
  expect([all.top_events.length, all.truncated]).toEqual([5, undefined])
  const cut = await read(60, 10_000, 50_000)
  expect(cut.top_events.map(({ event }) => event)).toEqual(['e4', 'e5'])
  expect(cut.truncated).toBe(true)
  // However large it is, the newest chunk counts.
  expect((await read(60, 10_000, 1)).top_events.map(({ event }) => event)).toEqual(['e5'])
})

test('repeated events use up the bytes of a read too', async () => {
  const { read, write } = openProject()
  const text = 'x'.repeat(20_000)
  for (let i = 1; i <= 5; i++)
    await write(liveRecord(i, NOW - 10_000 + i, [{ event_id: 'same', properties: { text } }]))
  expect(await read(60, 10_000, 50_000)).toMatchObject({ truncated: true, top_events: [{ count: 1 }] })
})

test('a repeated event_id counts once', async () => {
  const { read, write } = openProject()
  await write(liveRecord(1, NOW - 5_000, [{ event_id: 'e', user_id: 'u1' }]))
  await write(
    liveRecord(2, NOW, [
      { event_id: 'e', user_id: 'u1' },
      { event_id: 'f', user_id: 'u2' },
    ]),
  )
  expect(await read()).toMatchObject({ events_per_minute: 2, active_visitors: 2 })
})

test('beyond the size of the buffer the newest events count, and the response says so', async () => {
  const { read, write } = openProject()
  await write(
    liveRecord(
      1,
      NOW - 9_000,
      Array.from({ length: 6 }, () => ({ event: 'old' })),
    ),
  )
  await write(
    liveRecord(
      2,
      NOW - 1_000,
      Array.from({ length: 5 }, () => ({ event: 'new' })),
    ),
  )
  expect((await read(60, 11)).truncated).toBe(undefined)
  const cut = await read(60, 7)
  expect(cut.truncated).toBe(true)
  expect(cut.top_events).toEqual([
    { event: 'new', count: 5 },
    { event: 'old', count: 2 },
  ])
})

test('the consumer skips bots, unreadable records and records that are older than the buffer', async () => {
  const { buffer, project, read } = openProject()
  const consumer = createLiveConsumer({ buffer })
  const bot = Buffer.concat([
    Buffer.of(1),
    Buffer.from(JSON.stringify({ kind: 'bots', project_id: project.id, dropped: 1 })),
  ])
  const copied = await consumer.consumeBatch('s', [
    toEntry(liveRecord(1, NOW - 300_001, [{}]), project.id),
    { sequence: '2', data: bot },
    { sequence: '3', data: Buffer.from('garbage') },
    toEntry(liveRecord(4, NOW, [{ event: 'fresh' }]), project.id),
    toEntry(liveRecord(5, NOW, [{ event: 'foreign' }]), 'proj_other'),
  ])
  expect(copied).toBe(2)
  expect((await read(300)).top_events).toEqual([{ event: 'fresh', count: 1 }])
})

test('of two copies of an event_id the one with a credential counts, whichever came first', async () => {
  const proven = (sequence: number, event: string) => ({
    ...liveRecord(sequence, NOW - 10_000 + sequence, [{ event, event_id: 'inv-1', user_id: event }]),
    credentialed: true as const,
  })
  const unproven = (sequence: number, event: string) =>
    liveRecord(sequence, NOW - 10_000 + sequence, [{ event, event_id: 'inv-1', user_id: event }])
  for (const records of [
    [[unproven(1, 'visitor'), proven(2, 'server')]],
    [[proven(1, 'server'), unproven(2, 'visitor')]],
    [[unproven(1, 'visitor')], [proven(2, 'server')], [unproven(3, 'again')]],
    [[proven(1, 'server')], [unproven(2, 'visitor')], [proven(3, 'retry')]],
  ]) {
    const { read, write } = openProject()
    for (const chunk of records) await write(...chunk)
    const { top_events, active_visitors } = await read()
    expect(top_events).toEqual([{ event: expect.stringMatching('server|retry'), count: 1 }])
    expect(active_visitors).toBe(1)
  }
})

describe('after a cursor', () => {
  /** A project whose clock the test moves. */
  function openMoving() {
    let time = NOW
    const moving = { now: () => time }
    const buffer = createLiveBuffer(state, { clock: moving, bufferMs: 300_000 })
    const project = { id: `proj_${++projects}`, name: 'shop' }
    let sequence = 0
    return {
      wait: (ms: number) => {
        time += ms
      },
      send: (...names: string[]) =>
        writeLive(buffer, project.id, 's', [
          liveRecord(
            ++sequence,
            time,
            names.map(event => ({ event, user_id: event })),
          ),
        ]),
      async read(window: { seconds: number } | { after: string }, maxEvents = 10_000) {
        return (
          await readLive({ buffer, users: NO_LINKS }, { project, window, maxEvents, maxBytes: 4_000_000 })
        ).body
      },
    }
  }
  const namesOf = ({ recent_events }: { recent_events: readonly { event: string }[] }) =>
    recent_events.map(({ event }) => event)

  test('an answer has what became readable since, and counts only that', async () => {
    const { wait, send, read } = openMoving()
    await send('before')
    wait(5_000)
    const first = await read({ seconds: 60 })
    expect(namesOf(first)).toEqual(['before'])
    await send('a', 'b')
    wait(5_000)
    const second = await read({ after: first.cursor })
    expect(second).toMatchObject({
      window_seconds: 5,
      timestamp: NOW + 10_000 - LATE_MS,
      active_visitors: 2,
      events_per_minute: 24,
      cursor: String(NOW + 10_000 - LATE_MS),
    })
    expect(namesOf(second)).toEqual(['b', 'a'])
    expect(namesOf(await read({ after: second.cursor }))).toEqual([])
  })

  test('chunks of the last two seconds are in the next answer, and in no other', async () => {
    const { wait, send, read } = openMoving()
    const { cursor } = await read({ seconds: 60 })
    await send('late')
    wait(LATE_MS - 1)
    const early = await read({ after: cursor })
    expect(namesOf(early)).toEqual([])
    wait(1)
    const next = await read({ after: early.cursor })
    expect(namesOf(next)).toEqual(['late'])
    wait(5_000)
    expect(namesOf(await read({ after: next.cursor }))).toEqual([])
  })

  test('the 100 newest events are listed, and all are counted', async () => {
    const { wait, send, read } = openMoving()
    const { cursor } = await read({ seconds: 60 })
    await send(...Array.from({ length: 130 }, (_, i) => `e${i}`))
    wait(5_000)
    const answer = await read({ after: cursor })
    expect([answer.recent_events.length, answer.active_visitors]).toEqual([100, 130])
    expect(namesOf(answer)[0]).toBe('e129')
    expect(answer.truncated).toBe(undefined)
    expect((await read({ after: cursor }, 120)).truncated).toBe(true)
  })

  test('a cursor that is older than the buffer begins at its oldest event, and one of the future at now', async () => {
    const { wait, send, read } = openMoving()
    await send('gone')
    wait(299_000)
    await send('kept')
    wait(2_000)
    expect(namesOf(await read({ after: '0' }))).toEqual(['kept'])
    const ahead = await read({ after: '999999999999999' })
    expect([namesOf(ahead), ahead.cursor]).toEqual([[], String(NOW + 301_000)])
    wait(1)
    await send('next')
    wait(5_000)
    expect(namesOf(await read({ after: ahead.cursor }))).toEqual(['next'])
  })
})
