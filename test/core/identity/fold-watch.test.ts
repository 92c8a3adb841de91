import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFoldWatch } from '#core/identity/fold/fold-watch'
import { identityKey } from '#core/lake/model/keys'
import type { ShardState } from '#core/lake/model/state'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { emptyTable, openTestState, type TestState } from '#test/support/test-state'

const HOUR_MS = 3_600_000

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => emptyTable(state))
afterAll(() => state?.close())

function open() {
  const keys: string[] = []
  const shard: ShardState = { shard: 's0', highWater: null, epoch: 1, claim: null, claimedAt: null }
  const seen = { now: HOUR_MS + 120_000, lists: 0 }
  const isDue = createFoldWatch({
    ...state,
    lake: {
      ...createSimulatedLake(),
      async list(prefix) {
        seen.lists += 1
        return keys.filter(key => key.startsWith(prefix)).map(key => ({ key, size: 1 }))
      },
    },
    lakeState: {
      lake: async () => ({ epoch: 1, fence: 0, leaseUntil: 0, epochOpenedAt: 0, epochTimes: [] }),
      shards: async () => [{ ...shard }],
    },
    clock: { now: () => seen.now },
  })
  /** The consumer writes the file of a claim before the claim ends. */
  function claim(sequence: string, withFile: boolean) {
    const opened = { first: sequence, last: sequence, epoch: 1 }
    shard.claim = opened
    return {
      end() {
        if (withFile) keys.push(identityKey('s0', opened))
        shard.highWater = sequence
        shard.claim = null
      },
    }
  }
  return { isDue, claim, seen, keys }
}

test('while no shard moves, no files are looked for after the first look that found none', async () => {
  const { isDue, claim, seen } = open()
  expect([await isDue(), await isDue(), await isDue()]).toEqual([false, false, false])
  expect(seen.lists).toBe(1)
  claim('1', false).end()
  expect([await isDue(), await isDue()]).toEqual([false, false])
  expect(seen.lists).toBe(2)
})

test('a file that is written after a look during its claim is found when the claim has ended, and until it is folded', async () => {
  const { isDue, claim } = open()
  const { end } = claim('1', true)
  expect(await isDue()).toBe(false)
  end()
  expect([await isDue(), await isDue()]).toEqual([true, true])
})

test('once an hour files are looked for although no shard has moved', async () => {
  const { isDue, seen, keys } = open()
  expect(await isDue()).toBe(false)
  keys.push(identityKey('s0', { first: '1', last: '1', epoch: 1 }))
  expect(await isDue()).toBe(false)
  seen.now = 2 * HOUR_MS + 1_000
  expect(await isDue()).toBe(true)
})
