import { expect, test } from 'vitest'
import { createGroupSync } from '#local/state/group-sync'

/** Syncs that end when the test says so. */
function controlledSyncs() {
  const syncs: PromiseWithResolvers<void>[] = []
  const waitUntilSynced = createGroupSync(() => {
    const each = Promise.withResolvers<void>()
    syncs.push(each)
    return each.promise
  })
  return { syncs, waitUntilSynced }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('calls during a sync wait for the next one, which they share', async () => {
  const { syncs, waitUntilSynced } = controlledSyncs()
  const done: string[] = []
  const first = waitUntilSynced().then(() => done.push('first'))
  await turn()
  const others = ['second', 'third'].map(name => waitUntilSynced().then(() => done.push(name)))
  await turn()
  expect(syncs).toHaveLength(1)
  syncs[0]?.resolve()
  await first
  await turn()
  expect([done, syncs.length]).toEqual([['first'], 2])
  syncs[1]?.resolve()
  await Promise.all(others)
  expect([done, syncs.length]).toEqual([['first', 'second', 'third'], 2])
})

test('a failed sync rejects its own calls, and the next calls get a new sync', async () => {
  const { syncs, waitUntilSynced } = controlledSyncs()
  const first = waitUntilSynced()
  await turn()
  const second = waitUntilSynced()
  syncs[0]?.reject(new Error('disk'))
  await expect(first).rejects.toThrow('disk')
  await turn()
  syncs[1]?.resolve()
  await expect(second).resolves.toBeUndefined()
})
