import { expect, test } from 'vitest'
import { unavailable } from '#core/errors'
import { type BotCountsServices, createBotCounts } from '#core/ingest/bot-counts'
import { type BotRecord, unpackRecord } from '#core/ingest/record'
import { countRecords } from '#core/lake/consume/counts'
import { createFakeClock } from '#test/support/fake-clock'

const NOW = Date.UTC(2026, 10, 21, 12)

/** Counts with a clock of the test, and the records that they have appended. */
function gather(options: Partial<BotCountsServices> = {}) {
  const clock = createFakeClock(NOW)
  const records: BotRecord[] = []
  const stream = {
    isFull: false,
    async append(packed: readonly Uint8Array[]) {
      if (stream.isFull) throw unavailable('The disk is full.', 30)
      records.push(...packed.map(each => unpackRecord(each) as BotRecord))
    },
  }
  const bots = createBotCounts({ stream, clock, hasTimer: true, ...options })
  const send = (bot: Partial<BotRecord> = {}) =>
    bots.count({
      ...{ kind: 'bots', project_id: 'proj_1', account_id: 'acc_1', received_at: clock.now() },
      ...{ category: 'search_crawler', actor: 'Googlebot', dropped: 1, rules_version: '1' },
      ...bot,
    })
  /** Lets a second pass, and what it starts. */
  const second = async () => {
    clock.advance(1_000)
    await bots.flush()
  }
  return { ...bots, send, second, clock, records, stream }
}

test('20,000 requests of a second are one record, with all of them', async () => {
  const { send, second, records } = gather()
  for (let i = 0; i < 20_000; i++) await send({ dropped: 2 })
  expect(records).toEqual([])
  await second()
  expect(records).toMatchObject([{ requests: 20_000, dropped: 40_000 }])
  await second()
  expect(records).toHaveLength(1)
})

test('the timer writes what waits, without a further request', async () => {
  const { send, clock, records, flush } = gather()
  await send()
  clock.advance(999)
  expect(records).toEqual([])
  clock.advance(1)
  await flush()
  await send()
  clock.advance(1_000)
  await flush()
  expect(records.map(({ requests }) => requests)).toEqual([1, 1])
})

test('actors that a sender makes up do not make the record longer than 32 of them', async () => {
  const { send, second, records } = gather()
  for (let i = 0; i < 5_000; i++) await send({ category: 'generic_bot', actor: `made-up-${i}-crawler` })
  await second()
  const { bots } = countRecords(records)
  expect(records).toHaveLength(1)
  expect(bots).toHaveLength(33)
  expect(bots.find(({ actor }) => actor === 'Other')?.requests).toBe(5_000 - 32)
  expect(bots.reduce((sum, { requests }) => sum + requests, 0)).toBe(5_000)
})

test('each project has a record of its own, and so has each quarter of an hour', async () => {
  const { send, second, records, clock } = gather()
  await send()
  await send({ project_id: 'proj_2' })
  clock.time = NOW + 15 * 60_000 - 500
  await send()
  clock.advance(500)
  await send()
  await second()
  const { bots } = countRecords(records)
  expect(bots.map(({ project_id, quarter, requests }) => [project_id, quarter, requests]).toSorted()).toEqual(
    [
      ['proj_1', 48, 2],
      ['proj_1', 49, 1],
      ['proj_2', 48, 1],
    ],
  )
})

test('what the stream refuses is kept and written later, and the bot is not told', async () => {
  const { send, second, records, stream } = gather()
  stream.isFull = true
  await send()
  await second()
  await send()
  await second()
  expect(records).toEqual([])
  stream.isFull = false
  await second()
  expect(records).toMatchObject([{ requests: 2, dropped: 2 }])
})

test('projects that wait while the stream is full have a bound', async () => {
  const { send, second, records, stream } = gather()
  stream.isFull = true
  for (let i = 0; i < 1_500; i++) await send({ project_id: `proj_${i}` })
  await second()
  stream.isFull = false
  await second()
  expect(records).toHaveLength(1_000)
})

test('without a timer the first request is written at once, and later ones once a second', async () => {
  const { send, clock, records } = gather({ hasTimer: false })
  for (let i = 0; i < 12; i++) {
    await send()
    clock.advance(100)
  }
  expect(records.map(({ requests }) => requests)).toEqual([1, 10])
  clock.advance(5_000)
  await send()
  expect(records.map(({ requests }) => requests)).toEqual([1, 10, 2])
})

test('a count that is written in parts is the same as one by one', async () => {
  const { send, second, records } = gather()
  for (const actor of ['a', 'b', 'a', 'c']) await send({ category: 'generic_bot', actor, dropped: 3 })
  await second()
  const single = ['a', 'b', 'a', 'c'].map(
    (actor): BotRecord => ({
      ...{
        kind: 'bots',
        project_id: 'proj_1',
        account_id: 'acc_1',
        received_at: NOW,
        category: 'generic_bot',
      },
      ...{ actor, dropped: 3, rules_version: '1' },
    }),
  )
  expect(countRecords(records).bots).toEqual(countRecords(single).bots)
})
