import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { DEMO_EVENTS } from '#core/demo/demo-records'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents, readJson, waitForTotal } from '#test/support/service-reads'
import { canMountDisk, createSmallDisk, NO_SMALL_DISK } from '#test/support/small-disk'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'
import { copyRunning } from './copy-running.ts'

/** Events and the demo traffic fill a small disk. The tests run at the same time. */

afterAll(cleanUp)

/** After so many refusals the disk has been full for a while, and the lake has made room again and again. */
const REFUSALS = 20
const AFTER_REFUSAL_MS = 100

/** Sends a batch of events that cannot be compressed, and returns the status. */
async function sendBatch({ baseUrl, credentials }: Service, ids: readonly string[]): Promise<number> {
  const events = ids.map(event_id => ({
    token: credentials.project_token,
    event: 'page_view',
    event_id,
    properties: { filling: randomBytes(4_500).toString('base64') },
  }))
  const response = await fetch(`${baseUrl}/track/batch`, {
    method: 'POST',
    body: JSON.stringify({ events }),
    headers: { 'User-Agent': HUMAN_USER_AGENT },
  })
  if (response.status === 503) expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
  await response.arrayBuffer()
  return response.status
}

test.concurrent('events that were acknowledged before a disk was full become readable without more room', async ({
  skip,
}) => {
  skip(!canMountDisk(), NO_SMALL_DISK)
  const dataDir = newFolder()
  const disk = createSmallDisk(dataDir, 72)
  const service = await startService({ dataDir, disk, env: { EPOCH_SECONDS: '3' } })
  const acknowledged: string[] = []
  let rejections = 0
  for (let batch = 0; rejections < REFUSALS && batch < 5_000; batch++) {
    // After a refusal come single events: they are refused too, until the lake has made room.
    const length = rejections === 0 ? 10 : 1
    const ids = Array.from({ length }, (_, i) => `${batch}-${i}`)
    const status = await sendBatch(service, ids)
    if (status === 202) acknowledged.push(...ids)
    else {
      expect(status).toBe(503)
      rejections += 1
      await sleep(AFTER_REFUSAL_MS)
    }
  }
  expect(rejections).toBe(REFUSALS)
  expect(acknowledged.length).toBeGreaterThan(100)
  expect(service.output()).toContain('"code":"DISK_RESERVE_REACHED"')
  await waitForTotal(service, acknowledged.length)
  const stored = (await allEvents(service)).map(event => event.event_id)
  expect(stored.toSorted()).toEqual(acknowledged.toSorted())
  expect(service.output()).not.toMatch(/STREAM_UNAVAILABLE|LAKE_BATCH_FAILED|JOB_FAILED/)
  expect(await service.stop()).toBe(0)
}, 300_000)

test.concurrent('a disk that is full while the demo is seeded does not end the service, and the next start seeds the rest', async ({
  skip,
}) => {
  skip(!canMountDisk(), NO_SMALL_DISK)
  const dataDir = newFolder()
  const disk = createSmallDisk(dataDir, 22)
  const first = await startService({ dataDir, disk, seed: true })
  expect(first.output()).toContain('"code":"DEMO_UNFINISHED"')
  expect((await fetch(`${first.baseUrl}/health`)).status).toBe(200)
  // The disk ends with the process, so its content is copied first, as it is at one moment.
  const copy = newFolder()
  process.kill(first.pid, 'SIGSTOP')
  copyRunning(disk.pathOf(first.pid, dataDir), copy)
  process.kill(first.pid, 'SIGCONT')
  expect(await first.stop()).toBe(0)

  const second = await startService({ dataDir: copy })
  expect(second.output()).not.toContain('DEMO_UNFINISHED')
  const { totals } = await readJson<{ totals: { total_events: number } }>(
    second,
    '/stats?project=demo&since=31d',
  )
  expect(totals.total_events).toBe(DEMO_EVENTS)
  expect(await second.stop()).toBe(0)
}, 300_000)
