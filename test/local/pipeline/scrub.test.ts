import { expect, test } from 'vitest'
import type { ShardState } from '#core/lake/state'
import { createScrub } from '#local/pipeline/scrub'
import { eventually } from '#test/support/eventually'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.UTC(2026, 10, 22, 12)

function openScrub() {
  const clock = { time: START, now: () => clock.time }
  const calls: string[] = []
  const failures: unknown[] = []
  const machine = { isLogClean: true, isStateFailing: false }
  const scrub = createScrub(
    {
      stream: {
        shards: async () => ['local'],
        async prune(upTo, olderThan) {
          calls.push(`prune ${upTo} ${(clock.time - olderThan) / MINUTE}`)
          return 0
        },
        scrub: () => machine.isLogClean,
      },
      state: { shard: async () => ({ highWater: '7' }) as ShardState },
      expiredItems: { deleteAll: async () => void calls.push('expired') },
      async scrubState() {
        if (machine.isStateFailing) throw new Error('The disk is full.')
        calls.push('state')
      },
      clock,
      log: (_, fields) => failures.push(fields),
    },
    { retentionMs: HOUR, bufferMs: 5 * MINUTE, pauseMs: 10 * MINUTE },
  )
  const wait = (ms: number) => {
    clock.time += ms
  }
  return { scrub, wait, calls, failures, machine }
}

test('nothing is done before the log may forget the events, then each place is scrubbed once', async () => {
  const { scrub, wait, calls } = openScrub()
  expect(await scrub(START)).toBe(0)
  wait(HOUR)
  expect(await scrub(START)).toBe(0)
  expect(calls).toEqual([])
  wait(1)
  await eventually(async () => expect(await scrub(START)).toBe(START + 1))
  expect(calls).toEqual(['expired', 'prune 7 60', 'state'])
})

test('a log that still has records, and a failure, are tried again after a pause', async () => {
  const { scrub, wait, calls, failures, machine } = openScrub()
  machine.isLogClean = false
  wait(2 * HOUR)
  await scrub(START)
  await eventually(() => expect(calls).toContain('prune 7 60'))
  machine.isLogClean = true
  machine.isStateFailing = true
  expect(await scrub(START)).toBe(0)
  wait(10 * MINUTE)
  await scrub(START)
  await eventually(() => expect(failures).toEqual([{ job: 'scrub', error: 'Error: The disk is full.' }]))
  machine.isStateFailing = false
  wait(10 * MINUTE)
  await eventually(async () => expect(await scrub(START)).toBe(START + 80 * MINUTE))
})
