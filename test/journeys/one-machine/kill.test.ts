import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createRandom } from '#local/demo/random'
import { repeats, seed } from '#test/support/depth'
import { eventually } from '#test/support/eventually'
import { allEvents, eventIdsInFiles, statsTotals } from '#test/support/read-back'
import { cleanUp, freePort, launchService, newFolder, startService } from '#test/support/service'
import { trackingClient } from '#test/support/tracking-client'

const KILLS = repeats(5, 25)
/** Every fourth kill comes while the service starts; the others so long after it took requests, at most. */
const MOST_UPTIME_MS = 1_500
const MOST_STARTUP_MS = 900

afterAll(cleanUp)

test(`a service killed ${KILLS} times under load has every acknowledged event exactly once`, async () => {
  const random = createRandom(seed)
  // Epochs end all the time, so that kills hit claims, compactions and moves of the watermark.
  const options = { dataDir: newFolder(), port: await freePort(), env: { EPOCH_SECONDS: '2' } }
  const { credentials, kill9 } = await startService(options)
  const clients = ['a', 'b', 'c', 'd'].map(prefix => trackingClient({ credentials, prefix }))
  await sleep(random.below(MOST_UPTIME_MS))
  await kill9()

  for (let kills = 1; kills < KILLS; kills += 1) {
    const launch = launchService(options)
    if (kills % 4 === 0) await sleep(random.below(MOST_STARTUP_MS))
    else await launch.ready.then(() => sleep(random.below(MOST_UPTIME_MS)))
    await launch.kill9()
  }

  const service = await startService(options)
  await Promise.all(clients.map(client => client.stop()))
  const sent = clients.flatMap(({ acknowledged }) => [...acknowledged]).toSorted()
  const about = `seed ${seed}, ${sent.length} events`
  expect(sent.length, about).toBeGreaterThan(KILLS)
  await eventually(async () => expect((await statsTotals(service)).total_events).toBe(sent.length), {
    timeoutMs: 30_000,
    everyMs: 250,
  })
  const stored = (await allEvents(service)).map(event => event.event_id).toSorted()
  expect(stored, about).toEqual(sent)
  expect([...(await eventIdsInFiles(options.dataDir))].toSorted(), about).toEqual(sent)
  expect(await service.stop()).toBe(0)
}, 1_800_000)
