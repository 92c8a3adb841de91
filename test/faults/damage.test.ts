import { cpSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { damageParquet } from '#test/support/damage-parquet'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents, lakeFiles, statsTotals, waitForTotal } from '#test/support/service-reads'
import { createSmallDisk } from '#test/support/small-disk'
import { sendEvents } from '#test/support/tracking-client'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/** The tests run at the same time, because each waits for a service most of the time. */

/** A data folder after a clean stop, and the ids of its events. */
let stopped: { dataDir: string; ids: readonly string[] }
beforeAll(async () => {
  const service = await startService()
  const ids = await fill(service, 'before')
  await service.stop()
  stopped = { dataDir: service.dataDir, ids }
})
afterAll(cleanUp)

/** Returns a copy of the stopped data folder, which a test may damage. */
function copyStopped(): string {
  const dataDir = newFolder()
  cpSync(stopped.dataDir, dataDir, { recursive: true })
  return dataDir
}

/** Sends one event with a property of `bytes` characters. */
function track(service: Service, event_id: string, bytes: number): Promise<Response> {
  return fetch(`${service.baseUrl}/track`, {
    method: 'POST',
    body: JSON.stringify({
      token: service.credentials.project_token,
      event: 'page_view',
      event_id,
      properties: { filling: 'x'.repeat(bytes) },
    }),
    headers: { 'User-Agent': HUMAN_USER_AGENT },
  })
}

async function eventIds(service: Service): Promise<string[]> {
  return (await allEvents(service)).map(event => event.event_id ?? '').toSorted()
}

/** Sends more than 100 events, and returns their ids once they are in the lake. */
async function fill(service: Service, prefix: string, previousCount = 0): Promise<string[]> {
  const ids = await sendEvents(101, { credentials: service.credentials, prefix })
  await waitForTotal(service, previousCount + ids.length)
  return ids
}

test.concurrent('a full disk rejects events with 503 and Retry-After, and accepts them again once there is room', async () => {
  const dataDir = newFolder()
  const disk = createSmallDisk(dataDir, 48)
  const service = await startService({ dataDir, disk })
  const ids = await fill(service, 'room')
  disk.fill(service)
  const rejection = await eventually(async () => {
    const response = await track(service, 'late', 8_000)
    expect(response.status).toBe(503)
    return response
  })
  expect(rejection.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await rejection.json()).toMatchObject({ error: 'UNAVAILABLE' })
  await eventually(() => expect(service.output()).toMatch(/STREAM_UNAVAILABLE|DISK_RESERVE_REACHED/))
  expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  expect((await statsTotals(service)).total_events).toBeGreaterThanOrEqual(ids.length)

  disk.free(service)
  await eventually(async () => expect((await track(service, 'late', 8_000)).status).toBe(202))
  await eventually(async () => expect(new Set(await eventIds(service))).toEqual(new Set([...ids, 'late'])))
  expect(await service.stop()).toBe(0)
})

test.concurrent('a truncated log is repaired at the start, and the events in the lake do not change', async () => {
  const dataDir = copyStopped()
  const log = join(dataDir, 'log.db')
  truncateSync(log, Math.floor(statSync(log).size / 2))

  const service = await startService({ dataDir })
  await eventually(() => expect(service.output()).toContain('"code":"STREAM_DAMAGED"'))
  const ids = [...stopped.ids, ...(await fill(service, 'after', stopped.ids.length))]
  expect(await eventIds(service)).toEqual(ids.toSorted())
  expect(await service.stop()).toBe(0)
})

test.concurrent('damaged hot files give 503, never wrong numbers, until they are written again from the log', async () => {
  const dataDir = copyStopped()
  lakeFiles(dataDir).forEach(damageFile)

  const service = await startService({ dataDir })
  const statuses = await waitForStats(service)
  expect(statuses.slice(0, -1).every(status => status === 503)).toBe(true)
  await eventually(() => expect(service.output()).toContain('"code":"LAKE_OBJECT_REPAIRED"'))
  expect(await eventIds(service)).toEqual(stopped.ids.toSorted())
  expect(await service.stop()).toBe(0)
})

test.concurrent('files that cannot be repaired are logged and give 503, until somebody restores them', async () => {
  const dataDir = copyStopped()
  // The log keeps no record that is in the lake, so no hot file can be written again.
  const env = { STREAM_RETENTION_MINUTES: '0', EPOCH_SECONDS: '1' }
  const first = await startService({ dataDir, env })
  await eventually(() => expect(first.output()).toContain('EPOCH_COMPACTED'))
  await waitForStats(first)
  await first.stop()
  const backup = new Map(lakeFiles(dataDir).map(path => [path, readFileSync(path)]))
  lakeFiles(dataDir).forEach(damageFile)

  const second = await startService({ dataDir, env })
  const rejection = await requestStats(second)
  expect(rejection.status).toBe(503)
  expect(rejection.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await rejection.json()).toMatchObject({ error: 'UNAVAILABLE' })
  await eventually(() => expect(second.output()).toContain('"code":"LAKE_OBJECT_LOST"'))
  for (const [path, bytes] of backup) writeFileSync(path, bytes)
  await waitForStats(second)
  expect(await eventIds(second)).toEqual(stopped.ids.toSorted())
  expect(await second.stop()).toBe(0)
})

/** Requests the stats until the status is 200. Returns every status on the way. */
async function waitForStats(service: Service): Promise<number[]> {
  const statuses: number[] = []
  await eventually(
    async () => {
      const { status } = await requestStats(service)
      statuses.push(status)
      expect(status).toBe(200)
    },
    { everyMs: 200 },
  )
  return statuses
}

function requestStats({ baseUrl, credentials }: Service): Promise<Response> {
  return fetch(`${baseUrl}/stats?project=demo&since=1d`, { headers: { 'X-API-Key': credentials.api_key } })
}

function damageFile(path: string): void {
  writeFileSync(path, damageParquet(readFileSync(path)))
}
