import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents, readJson, statsTotals } from '#test/support/service-reads'
import { sendEvents, startTrackingClient } from '#test/support/tracking-client'
import { copyRunning } from './copy-running.ts'

/**
 * Parts of a data folder that are older than the others, after a copy. power-cut.test.ts has an older state.
 */

afterEach(cleanUp)

/** Epochs of a second: they are compacted and merged while the test runs. */
const env = { EPOCH_SECONDS: '1' }
/** Few events are enough: what matters is when they are sent. */
const PAUSE_MS = 100

/**
 * Expects that each stored event is there once, and that all counts agree with the stored events. Returns the
 * event_ids.
 */
async function expectConsistent(service: Service): Promise<string[]> {
  const ids = (await allEvents(service)).map(event => event.event_id ?? '').toSorted()
  expect(ids).toEqual([...new Set(ids)])
  expect((await statsTotals(service)).total_events).toBe(ids.length)
  const { projects } = await readJson<{ projects: { total_events: number }[] }>(service, '/projects')
  expect(projects[0]?.total_events).toBe(ids.length)
  return ids
}

/** The number of compacted epochs. */
function countEpochs(service: Service): number {
  return service.output().split('EPOCH_COMPACTED').length - 1
}

test('a data folder that was copied while the service ran starts, and counts nothing twice', async () => {
  const first = await startService({ env })
  const client = startTrackingClient({ credentials: first.credentials, prefix: 'a', pauseMs: PAUSE_MS })
  await client.reach(30)
  await eventually(async () => expect((await statsTotals(first)).total_events).toBeGreaterThan(0))
  const before = [...client.acknowledged]
  const copy = newFolder()
  // The lake first, so the state names files that the copy does not have.
  copyRunning(join(first.dataDir, 'lake'), join(copy, 'lake'))
  const epochs = countEpochs(first)
  await eventually(() => expect(countEpochs(first)).toBeGreaterThan(epochs + 1))
  // A start does not need the temporary files of compactions and queries.
  copyRunning(first.dataDir, copy, { except: ['lake', 'merging', 'querying'] })
  await client.stop()
  await first.kill9()

  const second = await startService({ dataDir: copy, env })
  expect(second.output()).toContain('LAKE_RESTORED')
  const more = await sendEvents(20, { credentials: second.credentials, prefix: 'more' })
  // The copy of the log may have later events than the copy of the lake.
  const ids = await eventually(async () => {
    const found = await expectConsistent(second)
    expect(found).toEqual(expect.arrayContaining([...before, ...more]))
    return found
  })
  expect(ids.filter(id => !more.includes(id) && !client.acknowledged.has(id))).toEqual([])
  expect(await second.stop()).toBe(0)
  expect(second.output()).not.toMatch(/LAKE_BEHIND|JOB_FAILED/)
})
