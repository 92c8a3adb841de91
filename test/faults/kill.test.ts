import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { repeats, seed } from '#test/support/depth'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import { cleanUp, launchService, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents, eventIdsInFiles, statsTotals, waitForTotal } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

const KILLS = repeats(3, { countPerDepth: 5, maxCount: 25 })
/** Every third kill comes during the start, at most this long after the process has loaded its modules. */
const MAX_STARTUP_MS = 900
/** The other kills come at most this long after the service is ready. */
const MAX_UPTIME_MS = 1_500

/** A kill loses nothing, so no start may report a loss. */
const LOSS_CODES = /EVENTS_LOST|STREAM_BEHIND|STREAM_DAMAGED|RECORDS_MISSING/

/** The tests run at the same time, because each waits for a service most of the time. */

afterAll(cleanUp)

test.concurrent(`after ${KILLS} kills under load and while reading, every acknowledged event is stored exactly once`, async () => {
  const random = createRandom(seed)
  // Epochs are short, so that kills hit claims, compactions and watermark changes.
  const options = { dataDir: newFolder(), port: await keepPort(), env: { EPOCH_SECONDS: '2' } }
  const { credentials, kill9 } = await startService(options)
  const clients = ['a', 'b', 'c', 'd'].map(prefix =>
    startTrackingClient({ credentials, prefix, pauseMs: 40 }),
  )
  await sleep(random.below(MAX_UPTIME_MS))
  await kill9()

  for (let kills = 1; kills < KILLS; kills += 1) {
    const launch = launchService(options)
    if (kills % 3 === 2) {
      await launch.printed(/^process /m)
      await sleep(random.below(MAX_STARTUP_MS))
    } else {
      const service = await launch.ready
      const stopReads = startReads(service)
      await sleep(random.below(MAX_UPTIME_MS))
      stopReads()
      expect(service.output()).not.toMatch(LOSS_CODES)
    }
    await launch.kill9()
  }

  const service = await startService(options)
  await Promise.all(clients.map(client => client.reach(KILLS)))
  await Promise.all(clients.map(client => client.stop()))
  const ids = clients.flatMap(({ acknowledged }) => [...acknowledged]).toSorted()
  const run = `seed ${seed}, ${ids.length} events`
  await waitForTotal(service, ids.length)
  const storedIds = (await allEvents(service)).map(event => event.event_id).toSorted()
  expect(storedIds, run).toEqual(ids)
  expect([...(await eventIdsInFiles(options.dataDir))].toSorted(), run).toEqual(ids)
  expect(service.output()).not.toMatch(LOSS_CODES)
  expect(await service.stop()).toBe(0)
}, 1_800_000)

/**
 * Reads without a pause until `stop`, so that a kill hits statements. Reads that the kill cuts off fail,
 * which is no fault.
 */
function startReads(service: Service): () => void {
  let isRunning = true
  const readAll = async () => {
    while (isRunning) await statsTotals(service).catch(() => sleep(20))
  }
  void readAll()
  void readAll()
  return () => {
    isRunning = false
  }
}

const LOSS = /EVENTS_LOST|RECORDS_MISSING/
const CUTS = repeats(1, { maxCount: 20 })

test.concurrent(`after each of ${CUTS} kills with a cut write-ahead log, the service reports the records that it has lost`, async () => {
  const random = createRandom(seed, 1)
  const options = { dataDir: newFolder(), port: await keepPort() }
  let service = await startService(options)
  const lost = new Set<string>()
  const sent = new Set<string>()
  for (let cut = 0; cut < CUTS; cut++) {
    const clients = ['a', 'b'].map(name =>
      startTrackingClient({ credentials: service.credentials, prefix: `${name}${cut}`, pauseMs: 40 }),
    )
    await Promise.all(clients.map(client => client.reach(20)))
    await sleep(random.below(MAX_UPTIME_MS))
    await service.kill9()
    // Events without a response may be stored or not, so only the acknowledged ones are compared.
    const acknowledged = clients.flatMap(client => [...client.acknowledged])
    for (const id of acknowledged) sent.add(id)
    const wal = join(options.dataDir, 'log.db-wal')
    truncateSync(wal, random.below(statSync(wal).size))

    service = await startService(options)
    await Promise.all(clients.map(client => client.stop()))
    for (const client of clients) for (const id of client.acknowledged) sent.add(id)
    const last = `last-${cut}`
    await trackOne(service, last)
    await eventually(async () =>
      expect((await allEvents(service)).some(({ event_id }) => event_id === last)).toBe(true),
    )
    const stored = new Set((await allEvents(service)).map(event => event.event_id))
    const lostNow = [...sent].filter(id => !stored.has(id) && !lost.has(id))
    for (const id of lostNow) lost.add(id)
    const run = `seed ${seed}, cut ${cut}, ${lostNow.length} of ${acknowledged.length} events lost`
    // Output comes through a pipe, so it may arrive after the events.
    if (lostNow.length > 0) await eventually(() => expect(service.output(), run).toMatch(LOSS))
    else expect(service.output(), run).not.toMatch(LOSS)
  }
  expect(await service.stop()).toBe(0)
}, 1_800_000)

async function trackOne({ baseUrl, credentials }: Service, event_id: string): Promise<void> {
  const response = await fetch(`${baseUrl}/track`, {
    method: 'POST',
    body: JSON.stringify({ token: credentials.project_token, event: 'last', event_id }),
    headers: { 'User-Agent': HUMAN_USER_AGENT },
  })
  expect(response.status).toBe(202)
}
