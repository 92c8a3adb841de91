import { expect, onTestFinished, test } from 'vitest'
import { findPerson } from '#core/erasure/find-person'
import { request, START } from '#test/support/compactor-lake'
import { openFolderLake } from '#test/support/folder-lake'

const PROJECT = {
  ...{ id: 'proj_1', name: 'shop', bucket: 7, has_event_ids: true },
  created_at: new Date(START - 60 * 86_400_000).toISOString(),
}

test('a stored event that a hot one with a credential replaces is counted once', async () => {
  const folder = await openFolderLake()
  onTestFinished(folder.close)
  const paid = { event_id: 'inv-1', event: 'paid' }
  const stored = request({ events: [paid, { ...paid, event_id: 'inv-2' }] })
  const hot = { ...request({ events: [paid] }), credentialed: true as const }
  const built = await folder.build({ epochs: [[[stored]], [[hot]]], compacted: 2 })
  const services = {
    ...{ engine: folder.engine, openLake: built.openLake },
    clock: { now: () => START + 1_000 },
  }
  expect(await findPerson(services, PROJECT, ['u1'], undefined)).toEqual({ events: 2, sessions: 1 })
})
