import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createS3Lake } from '#aws/lake'
import { assertMovable, openStackSource } from '#aws/promoted-stack'
import { EDITION } from '#core/lake/model/edition'
import type { Lake } from '#core/ports'
import { createMarks } from '#core/promote/mark'
import { readItem } from '#core/state/read-items'
import { putItem } from '#test/support/both-tables'
import { type EmulatedStorage, startStorage } from '#test/support/emulators'
import { openTestState, type TestState } from '#test/support/test-state'

/** A deployed stack as the source of a promotion. */

let storage: EmulatedStorage
let state: TestState
let bucket: string
let lake: Lake
beforeAll(async () => {
  ;[storage, state] = await Promise.all([startStorage(), openTestState()])
})
afterAll(() => Promise.all([storage.stop(), state.close()]))
beforeEach(async () => {
  await state.empty()
  bucket = storage.createBucket()
  lake = createS3Lake({ client: storage.s3, bucket })
})

const HOT = 'hot/epoch=3/shardId-0-1-2.parquet'

/** `wasSeen`: an earlier run has seen the stack idle. `areStopped`: it stands still now. */
type Options = { isLast?: boolean; wasSeen?: boolean; areStopped?: boolean }

/** `calls`: what the stack was told. */
async function openWorld({ isLast = true, wasSeen = false, areStopped = false }: Options = {}) {
  const calls: string[] = []
  const source = await openStackSource({
    ...{ id: 'table a', state, s3: storage.s3, bucket, isLast, print: () => {} },
    copied: { has: () => false, note: () => {} },
    stack: {
      readEmailKey: async () => 'key',
      stopWriters: async () => void calls.push('stop'),
      areStopped: async () => areStopped,
    },
    stops: { wereSeen: () => wasSeen, note: () => calls.push('note') },
  })
  return { source, calls }
}

test.each<[string, Options, string[]]>([
  ['runs on for a copy beside it', { isLast: false }, []],
  ['is stopped for the last copy', {}, ['stop', 'note']],
  ['is not stopped again when an earlier run has seen it idle', { wasSeen: true, areStopped: true }, []],
  ['is stopped again when somebody has started it', { wasSeen: true }, ['stop', 'note']],
  ['is stopped when no run has seen it idle', { areStopped: true }, ['stop', 'note']],
])('the stack %s', async (_, options, expected) => {
  const { source, calls } = await openWorld(options)
  const { isSettled } = await source.open()
  expect([isSettled, calls]).toEqual([options.isLast ?? true, expected])
})

test('an object that is written anew is another one, and one that is gone is null', async () => {
  const { source } = await openWorld()
  await lake.put(HOT, new TextEncoder().encode('before'))
  const [before] = await source.objects.list()
  await lake.put(HOT, new TextEncoder().encode('erased'))
  const [after] = await source.objects.list()
  expect([before?.key, before?.size]).toEqual([after?.key, after?.size])
  expect(after?.version).not.toBe(before?.version)
  expect(new TextDecoder().decode((await source.objects.get(HOT)) ?? undefined)).toBe('erased')
  await lake.delete([HOT])
  expect(await source.objects.get(HOT)).toBe(null)
})

test('all objects are listed, however many pages they take', async () => {
  const { source } = await openWorld()
  const keys = Array.from({ length: 1_001 }, (_, i) => `hot/epoch=${i + 1}/shardId-0-1-2.parquet`)
  await Promise.all(keys.map(key => lake.put(key, new Uint8Array(1))))
  expect((await source.objects.list()).map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
})

test('batches that Lambda has given up are named before anything is done', async () => {
  await lake.put('aws/lambda/lake/failed.json', new Uint8Array(1))
  await expect(assertMovable(state, lake)).rejects.toThrow(
    'Lambda has given up batches of events (1, the first is aws/lambda/lake/failed.json), which would not come along.',
  )
})

test('a stack that is not whole itself is refused', async () => {
  await createMarks(state).begin('a folder')
  await expect(assertMovable(state, lake)).rejects.toThrow('A promotion into this stack is not done')
  await createMarks(state).note({ source: 'a folder', step: 'done', areStopped: true })
  await assertMovable(state, lake)
})

test.each([
  ['a newer version', EDITION + 1, 'The stack cannot be moved by this version.'],
  ['an older version', EDITION - 1, 'Deploy this version to the stack'],
])('a stack of %s is refused, and nothing of it is changed', async (_, edition, message) => {
  const item = { pk: '$footfall', sk: '$lake_1', edition, epoch: 3 }
  await putItem(state, item)
  await expect(assertMovable(state, lake)).rejects.toThrow(message)
  expect(await readItem(state, { pk: item.pk, sk: item.sk })).toEqual(item)
})
