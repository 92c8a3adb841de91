import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createRandom } from '#local/demo/random'
import { repeats, seed } from '#test/support/depth'
import { eventually } from '#test/support/eventually'
import { cleanUp, freePort, launchService, newFolder, startService } from '#test/support/service-process'
import { allEvents, eventIdsInFiles, statsTotals } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

const KILLS = repeats(5, 25)
/** Every fourth kill comes during the start, at most this long after its beginning. */
const MAX_STARTUP_MS = 900
/** The other kills come at most this long after the service is ready. */
const MAX_UPTIME_MS = 1_500

afterAll(cleanUp)

test(`after ${KILLS} kills under load, every acknowledged event is stored exactly once`, async () => {
  const random = createRandom(seed)
  // Epochs are short, so that kills hit claims, compactions and watermark changes.
  const options = { dataDir: newFolder(), port: await freePort(), env: { EPOCH_SECONDS: '2' } }
  const { credentials, kill9 } = await startService(options)
  const clients = ['a', 'b', 'c', 'd'].map(prefix => startTrackingClient({ credentials, prefix }))
  await sleep(random.below(MAX_UPTIME_MS))
  await kill9()

  for (let kills = 1; kills < KILLS; kills += 1) {
    const launch = launchService(options)
    if (kills % 4 === 0) await sleep(random.below(MAX_STARTUP_MS))
    else await launch.ready.then(() => sleep(random.below(MAX_UPTIME_MS)))
    await launch.kill9()
  }

  const service = await startService(options)
  await Promise.all(clients.map(client => client.stop()))
  const ids = clients.flatMap(({ acknowledged }) => [...acknowledged]).toSorted()
  const run = `seed ${seed}, ${ids.length} events`
  expect(ids.length, run).toBeGreaterThan(KILLS)
  await eventually(async () => expect((await statsTotals(service)).total_events).toBe(ids.length), {
    everyMs: 250,
  })
  const storedIds = (await allEvents(service)).map(event => event.event_id).toSorted()
  expect(storedIds, run).toEqual(ids)
  expect([...(await eventIdsInFiles(options.dataDir))].toSorted(), run).toEqual(ids)
  expect(await service.stop()).toBe(0)
}, 1_800_000)
