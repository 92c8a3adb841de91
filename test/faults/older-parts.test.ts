import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents, readJson, statsTotals } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

/**
 * Parts of a data folder that are older than the others, after a copy. power-cut.test.ts has an older state.
 */

afterEach(cleanUp)

/** Epochs of a second: they are compacted and merged while the test runs. */
const env = { EPOCH_SECONDS: '1' }
/** Few events are enough: what matters is when they are sent. */
const PAUSE_MS = 100
/** Each check reads all events. */
const EVERY_SECOND = { everyMs: 1_000 }

async function sendFor(ms: number, service: Service, prefix: string): Promise<string[]> {
  const client = startTrackingClient({ credentials: service.credentials, prefix, pauseMs: PAUSE_MS })
  await sleep(ms)
  await client.stop()
  return [...client.acknowledged]
}

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
  await sleep(1_500)
  const before = [...client.acknowledged]
  const copy = newFolder()
  // The lake first, so the state names files that the copy does not have.
  cpSync(join(first.dataDir, 'lake'), join(copy, 'lake'), { recursive: true })
  const epochs = countEpochs(first)
  await eventually(() => expect(countEpochs(first)).toBeGreaterThan(epochs + 1))
  // A compaction deletes its temporary files while they are copied. A start does not need them.
  const left = ['lake', 'merging', 'querying'].map(name => join(first.dataDir, name))
  cpSync(first.dataDir, copy, {
    recursive: true,
    filter: path => !left.some(folder => path.startsWith(folder)),
  })
  await client.stop()
  await first.kill9()

  const second = await startService({ dataDir: copy, env })
  expect(second.output()).toContain('LAKE_RESTORED')
  const more = await sendFor(500, second, 'more')
  // The copy of the log may have later events than the copy of the lake.
  const ids = await eventually(async () => {
    const found = await expectConsistent(second)
    expect(found).toEqual(expect.arrayContaining([...before, ...more]))
    return found
  }, EVERY_SECOND)
  expect(ids.filter(id => !more.includes(id) && !client.acknowledged.has(id))).toEqual([])
  expect(await second.stop()).toBe(0)
  expect(second.output()).not.toMatch(/LAKE_BEHIND|JOB_FAILED/)
})
