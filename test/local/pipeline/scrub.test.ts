import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { packRecord, unpackRecord } from '#core/ingest/record'
import { userHash } from '#core/lake/erase/tombstones'
import { emptyManifest } from '#core/lake/model/manifest'
import type { ShardState } from '#core/lake/model/state'
import { createScrub } from '#local/pipeline/scrub'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { addErasure } from '#test/support/add-erasure'
import { eventsRecord } from '#test/support/events-record'
import { eventually } from '#test/support/eventually'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 22, 12)

/** `hotUntil`: the hot files of the epochs below have no erased event. One of epoch 5 had some. */
function openScrub({ hotUntil = 6 } = {}) {
  const clock = { time: START, now: () => clock.time }
  const lake = createSimulatedLake()
  const calls: string[] = []
  const failures: unknown[] = []
  const machine = { isLogClean: true, isStateFailing: false, highWater: '7', copied: '7', appended: 0 }
  const person = { project_id: 'proj_1', users: [userHash('ada')], until: START }
  const record = packRecord(eventsRecord(['page_view'], START, { user_id: 'ada' }))
  const scrub = createScrub(
    {
      stream: {
        shards: async () => ['local'],
        async overwrite(_, upTo, change) {
          const rest = change(record)
          calls.push(`overwrite ${upTo} ${rest && JSON.stringify(unpackRecord(rest)).includes('ada')}`)
        },
        scrub: () => machine.isLogClean,
        appendedAfter: () => machine.appended || null,
      },
      state: {
        shard: async () => ({ highWater: machine.highWater }) as ShardState,
        async manifests() {
          const manifest = await addErasure(lake, emptyManifest(0), person, START)
          const tombstones = manifest.tombstones.map(batch => ({ ...batch, lastEpoch: 5, hotUntil }))
          return [{ ...manifest, tombstones }]
        },
      },
      lake,
      liveBuffer: { erase: async erased => void calls.push(`live ${erased.length}`) },
      liveCheckpoint: { read: async () => machine.copied },
      async scrubState() {
        if (machine.isStateFailing) throw new Error('The disk is full.')
        calls.push('state')
      },
      clock,
      log: (_, fields) => failures.push(fields),
    },
    { pauseMs: MINUTE },
  )
  /** Lets a scrub end first, which takes no time of this clock. */
  const wait = async (ms: number) => {
    await setImmediate()
    clock.time += ms
  }
  return { scrub, wait, calls, failures, machine }
}

test('erased events are overwritten in the log and in the live buffer, then the files are scrubbed, once', async () => {
  const { scrub, wait, calls } = openScrub()
  await wait(20_000)
  expect(await scrub(START)).toBe(0)
  await eventually(async () => expect(await scrub(START)).toBe(START + 10_000))
  expect(calls).toEqual(['overwrite 7 false', 'live 1', 'state'])
})

test('events that hot files still have stay in the log, because a damaged hot file is written again from there', async () => {
  const { scrub, wait, calls } = openScrub({ hotUntil: 5 })
  await wait(MINUTE)
  await scrub(START - 1)
  await eventually(async () => expect(await scrub(START - 1)).toBe(START))
  expect(calls).toEqual(['overwrite 7 null', 'live 0', 'state'])
})

test('a log that is still in use, and a failure, are tried again after a pause', async () => {
  const { scrub, wait, calls, failures, machine } = openScrub()
  machine.isLogClean = false
  await wait(MINUTE)
  await scrub(START)
  await eventually(() => expect(calls).toContain('live 1'))
  machine.isLogClean = true
  machine.isStateFailing = true
  expect(await scrub(START)).toBe(0)
  expect(calls).toHaveLength(2)
  await wait(MINUTE)
  await scrub(START)
  await eventually(() => expect(failures).toEqual([{ job: 'scrub', error: 'Error: The disk is full.' }]))
  machine.isStateFailing = false
  await wait(MINUTE)
  await eventually(async () => expect(await scrub(START)).toBe(START + 3 * MINUTE - 10_000))
})

test('events that have not reached the lake or the live buffer are waited for', async () => {
  const { scrub, wait, calls, machine } = openScrub()
  machine.copied = '6'
  await wait(MINUTE)
  expect(await scrub(START)).toBe(0)
  await setImmediate()
  machine.copied = '7'
  machine.appended = START + 5_000
  await wait(MINUTE)
  await scrub(START)
  await eventually(async () => expect(await scrub(START)).toBe(START - 5_000))
  expect(calls).toEqual(['overwrite 7 false', 'live 1', 'state'])
  machine.appended = 0
  await wait(MINUTE)
  await eventually(async () => expect(await scrub(START)).toBe(START + 3 * MINUTE - 10_000))
})
