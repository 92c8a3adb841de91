import { expect, test } from 'vitest'
import { COMPACTION_BYTES } from '#local/stream/disk-reserve'
import { createHotBytes } from '#local/stream/hot-bytes'

const MB = 1024 * 1024

/** A backlog: epochs 3 to 9 wait, each with a file of 1 MB. */
function createWorld() {
  const listed: string[] = []
  const world = { listed, now: 1_000, epoch: 9, compacted: 3, size: MB }
  const measure = createHotBytes({
    state: {
      lake: async () => ({ epoch: world.epoch, epochOpenedAt: 0, leaseUntil: 0, fence: 0, epochTimes: [] }),
      manifestHeads: async () =>
        [world.compacted + 1, world.compacted].map((compacted, bucket) => ({ bucket, compacted, bytes: 0 })),
    },
    lake: {
      async list(prefix) {
        listed.push(prefix)
        return [{ key: `${prefix}a`, size: world.size }]
      },
    },
    clock: { now: () => world.now },
  })
  return { world, measure }
}

test('the epochs of a backlog are listed once a minute, and those that change each time', async () => {
  const { world, measure } = createWorld()
  expect(await measure()).toBe(7 * MB)
  expect(world.listed).toHaveLength(7)
  world.listed.length = 0
  world.now += 1_000
  world.size = 2 * MB
  expect(await measure()).toBe(9 * MB)
  expect(world.listed).toEqual(['hot/epoch=8/', 'hot/epoch=9/'])
  world.now += 60_000
  expect(await measure()).toBe(14 * MB)
})

test('epochs that all buckets have compacted count no more, and new ones do', async () => {
  const { world, measure } = createWorld()
  await measure()
  world.compacted = 9
  world.epoch = 10
  expect(await measure()).toBe(2 * MB)
})

test('a clock that goes back lists the backlog again', async () => {
  const { world, measure } = createWorld()
  await measure()
  world.listed.length = 0
  world.now -= 86_400_000
  await measure()
  expect(world.listed).toHaveLength(7)
})

test('it stops at what one compaction takes', async () => {
  const { world, measure } = createWorld()
  world.size = COMPACTION_BYTES
  expect(await measure()).toBe(COMPACTION_BYTES)
  expect(world.listed).toHaveLength(1)
})
