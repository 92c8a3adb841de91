import { expect, test } from 'vitest'
import { MARK_KEY } from '#core/promote/mark'
import { type PromotionSource, promote } from '#core/promote/promote'
import { promotionTexts } from '#core/promote/texts'
import { readItem } from '#core/state/read-items'
import type { ItemKey } from '#core/state/state-table'
import { createFolderLake } from '#local/lake/folder'
import { openBothTables, putItem } from '#test/support/both-tables'
import { createFakeClock } from '#test/support/fake-clock'
import { newFolder } from '#test/support/service-process'

/** The order of a promotion, and what it refuses. */

const { local, aws } = await openBothTables()

const OBJECT = { key: 'segments/events/bucket=1/1-2-0-0.parquet', size: 4, version: '1' }
const PROJECT = { pk: '$footfall', sk: '$project_1#id_proj_1', token: 'aat_1' }

/** A source, with its service running or stopped, and an empty target. `calls`: what was done, in order. */
function openWorld() {
  const calls: string[] = []
  const world = { isRunning: false, emailKey: 'of the stack', areStopped: false, lost: 0, epochs: [1, 3] }
  const noted = new Set<string>()
  const lake = createFolderLake(newFolder())
  const source: PromotionSource = {
    id: 'source-1',
    emailKey: 'of the source',
    objects: { list: async () => [OBJECT], get: async () => new Uint8Array(OBJECT.size) },
    copied: { has: ({ key }) => noted.has(key), note: ({ key }) => noted.add(key) },
    epochs: async () => ({ first: world.epochs[0] ?? 0, last: world.epochs[1] ?? 0 }),
    open: async () => ({
      isSettled: !world.isRunning,
      state: local,
      close: async () => void calls.push('close'),
    }),
    retire: () => void calls.push('retire'),
  }
  const stack = {
    readEmailKey: async () => world.emailKey,
    async writeEmailKey(key: string) {
      calls.push('key')
      world.emailKey = key
    },
    async stopWriters() {
      calls.push('stop')
      world.areStopped = true
    },
    areStopped: async () => world.areStopped,
    async startWriters() {
      calls.push('start')
      world.areStopped = false
    },
    async reconcile() {
      calls.push('reconcile')
      return { events: world.lost, records: 0 }
    },
  }
  const printed: string[] = []
  const services = {
    source,
    target: {
      ...{ state: aws, lake, service: stack, texts: promotionTexts.stack },
      catalog: { first: 1, last: 20_000 },
    },
    clock: createFakeClock(Date.parse('2026-11-21T12:00:00Z')),
    print: (line: string) => void printed.push(line),
  }
  return { world, services, calls, printed, lake, run: () => promote(services) }
}

const get = ({ pk, sk }: ItemKey) => readItem(aws, { pk, sk })

test('the folder is retired when all is there, and before the stack starts', async () => {
  await putItem(local, PROJECT)
  const { run, calls, lake, printed, world } = openWorld()
  expect(await run()).toBe('done')
  expect(calls).toEqual(['key', 'stop', 'retire', 'close', 'reconcile', 'start'])
  expect(await get(PROJECT)).toEqual(PROJECT)
  expect((await lake.list('')).map(({ key }) => key)).toEqual([OBJECT.key])
  expect(printed).toContain('Items: 1 of 1 were written, 0 deleted.')
  calls.length = 0
  // Epochs of a later deployment, with another firstEpoch, are no reason to refuse.
  world.epochs = [1, 19_999]
  expect([await run(), calls]).toEqual(['unchanged', []])
})

test('beside a running service the stack gets a copy and stays stopped, and is stopped once only', async () => {
  await putItem(local, PROJECT)
  const { run, calls, world } = openWorld()
  world.isRunning = true
  expect(await run()).toBe('ahead')
  expect(await get(PROJECT)).toEqual(PROJECT)
  expect(await run()).toBe('ahead')
  world.isRunning = false
  expect(await run()).toBe('done')
  expect(calls).toEqual(['key', 'stop', 'close', 'close', 'retire', 'close', 'reconcile', 'start'])
})

test('a stack that somebody has started meanwhile is stopped again', async () => {
  const { run, calls, world } = openWorld()
  world.isRunning = true
  await run()
  world.areStopped = false
  await run()
  expect(calls.filter(call => call === 'stop')).toHaveLength(2)
})

test('a stack that misses data is not started, and the next run looks again', async () => {
  const { run, calls, world } = openWorld()
  world.lost = 2
  await expect(run()).rejects.toThrow('The stack misses data that was copied (events 2).')
  expect(calls).not.toContain('start')
  world.lost = 0
  calls.length = 0
  expect([await run(), calls]).toEqual(['done', ['reconcile', 'start']])
})

test.each([
  ['a project', PROJECT],
  ['an account', { pk: '$footfall#account_id_a', sk: '$account_1' }],
])('a stack that has %s is refused, and nothing of it is changed', async (_, item) => {
  await putItem(aws, item)
  const { run, calls } = openWorld()
  await expect(run()).rejects.toThrow('The stack has accounts or projects')
  expect([calls, await get(MARK_KEY)]).toEqual([[], undefined])
})

test('a bucket with data is refused, and one with failed batches alone is not', async () => {
  const { run, lake, calls } = openWorld()
  await lake.put('aws/lambda/lake/failed.json', new Uint8Array(1))
  await lake.put('hot/epoch=1/shardId-0-1-2.parquet', new Uint8Array(1))
  await expect(run()).rejects.toThrow('The bucket of the stack has data (hot/epoch=1/shardId-0-1-2.parquet)')
  expect(calls).toEqual([])
  await lake.delete(['hot/epoch=1/shardId-0-1-2.parquet'])
  expect(await run()).toBe('done')
})

test('the stack of another folder is refused', async () => {
  const { run, services, calls } = openWorld()
  await promote({ ...services, source: { ...services.source, id: 'source-2' } })
  calls.length = 0
  await expect(run()).rejects.toThrow('Another data folder is promoted into this stack, or was.')
  expect(calls).toEqual([])
})

test.each([
  ['below those of the catalog', [1, 40], { first: 18_001, last: 38_000 }],
  ['near the end of the catalog', [18_500, 18_600], { first: 1, last: 20_000 }],
])('a folder with epochs %s is refused with the option to set', async (_, epochs, catalog) => {
  const { world, services, calls } = openWorld()
  world.epochs = epochs
  const run = promote({ ...services, target: { ...services.target, catalog } })
  await expect(run).rejects.toThrow(`Deploy the stack once more with the option firstEpoch=${epochs[0]}`)
  expect([calls, await get(MARK_KEY)]).toEqual([[], undefined])
})

test('a stack that something else writes to is found before the folder is retired', async () => {
  const { services, calls, lake } = openWorld()
  let lists = 0
  /** The object goes after the copy: the first two listings are those of the check and of the copy. */
  const list = async (prefix: string) => (++lists <= 2 ? lake.list(prefix) : [])
  const target = { ...services.target, lake: { ...lake, list } }
  await expect(promote({ ...services, target })).rejects.toThrow(
    '1 items or objects of the stack are not as in the folder',
  )
  expect(calls).toEqual(['key', 'stop', 'close'])
})
