import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { damaged } from '#test/support/damaged'
import { eventually } from '#test/support/eventually'
import { allEvents, lakeFiles, statsTotals } from '#test/support/read-back'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service'
import { smallDisk } from '#test/support/small-disk'
import { trackingClient } from '#test/support/tracking-client'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

afterAll(cleanUp)

/** Sends one event of some size; returns the answer. */
function track(service: Service, event_id: string, bytes = 10): Promise<Response> {
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

/** Sends events until so many are acknowledged, and returns their ids once they are in the lake. */
async function sendSome(service: Service, prefix: string, known = 0): Promise<string[]> {
  const client = trackingClient({ credentials: service.credentials, prefix })
  await eventually(() => expect(client.acknowledged.size).toBeGreaterThan(300))
  await client.stop()
  const ids = [...client.acknowledged]
  await eventually(async () => expect((await statsTotals(service)).total_events).toBe(known + ids.length))
  return ids
}

test('a full disk refuses events with 503 and Retry-After, and takes them again once there is room', async () => {
  const dataDir = newFolder()
  const disk = smallDisk(dataDir, 48)
  const service = await startService({ dataDir, disk })
  const sent = await sendSome(service, 'room')
  disk.fill(service)
  const refused = await eventually(async () => {
    const answer = await track(service, 'refused', 8_000)
    expect(answer.status).toBe(503)
    return answer
  })
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused.json()).toMatchObject({ error: 'UNAVAILABLE' })
  await eventually(() => expect(service.output()).toContain('"code":"STREAM_UNAVAILABLE"'))
  expect((await fetch(`${service.baseUrl}/health`)).status).toBe(200)
  expect((await statsTotals(service)).total_events).toBeGreaterThanOrEqual(sent.length)

  disk.free(service)
  const acknowledged = await eventually(async () => {
    const answer = await track(service, 'refused', 8_000)
    expect(answer.status).toBe(202)
    return 'refused'
  })
  await eventually(
    async () => expect(new Set(await eventIds(service))).toEqual(new Set([...sent, acknowledged])),
    { everyMs: 500 },
  )
  expect(await service.stop()).toBe(0)
})

test('a log that was cut off in the middle is put together again, and what the lake had is not touched', async () => {
  const first = await startService()
  const { dataDir } = first
  const sent = await sendSome(first, 'before')
  await first.stop()
  const log = join(dataDir, 'log.db')
  truncateSync(log, Math.floor(statSync(log).size / 2))

  const second = await startService({ dataDir })
  await eventually(() => expect(second.output()).toContain('"code":"STREAM_DAMAGED"'))
  sent.push(...(await sendSome(second, 'after', sent.length)))
  expect(await eventIds(second)).toEqual(sent.toSorted())
  expect(await second.stop()).toBe(0)
})

test('damaged hot files give no wrong numbers: they are made anew from the log, and until then it is 503', async () => {
  const first = await startService()
  const { dataDir } = first
  const sent = await sendSome(first, 'a')
  await first.stop()
  lakeFiles(dataDir).forEach(damage)

  const second = await startService({ dataDir })
  const statuses = await untilWhole(second)
  expect(statuses.slice(0, -1).every(status => status === 503)).toBe(true)
  await eventually(() => expect(second.output()).toContain('"code":"LAKE_OBJECT_REPAIRED"'))
  expect(await eventIds(second)).toEqual(sent.toSorted())
  expect(await second.stop()).toBe(0)
})

test('files that are damaged beyond repair are named and answered with 503, until they are put back', async () => {
  // Nothing stays in the log once it is in the lake, so that no hot file can be made anew.
  const env = { STREAM_RETENTION_MINUTES: '0', EPOCH_SECONDS: '1' }
  const first = await startService({ env })
  const { dataDir } = first
  const sent = await sendSome(first, 'a')
  await eventually(() => expect(first.output()).toContain('EPOCH_COMPACTED'))
  await first.stop()
  const second = await startService({ dataDir, env })
  await untilWhole(second)
  await second.stop()
  const whole = new Map(lakeFiles(dataDir).map(path => [path, readFileSync(path)]))
  lakeFiles(dataDir).forEach(damage)

  const third = await startService({ dataDir, env })
  const refused = await stats(third)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused.json()).toMatchObject({ error: 'UNAVAILABLE' })
  await eventually(() => expect(third.output()).toContain('"code":"LAKE_OBJECT_LOST"'))
  for (const [path, bytes] of whole) writeFileSync(path, bytes)
  await untilWhole(third)
  expect(await eventIds(third)).toEqual(sent.toSorted())
  expect(await third.stop()).toBe(0)
})

/** Asks for the stats until they come; returns every status on the way. */
async function untilWhole(service: Service): Promise<number[]> {
  const statuses: number[] = []
  await eventually(
    async () => {
      const { status } = await stats(service)
      statuses.push(status)
      expect(status).toBe(200)
    },
    { everyMs: 200 },
  )
  return statuses
}

function stats({ baseUrl, credentials }: Service): Promise<Response> {
  return fetch(`${baseUrl}/stats?project=demo&since=1d`, { headers: { 'X-API-Key': credentials.api_key } })
}

function damage(path: string): void {
  writeFileSync(path, damaged(readFileSync(path)))
}
