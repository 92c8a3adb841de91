import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { allEvents } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

afterAll(cleanUp)

const slowCompaction = fileURLToPath(new URL('./slow-compaction.ts', import.meta.url))

/** Starts a service that compacts its first epoch, which takes minutes. Returns the ids of the events. */
async function startCompaction(): Promise<{ service: Service; ids: string[] }> {
  const env = { EPOCH_SECONDS: '1', NODE_OPTIONS: `--import ${slowCompaction}` }
  const service = await startService({ env })
  const client = startTrackingClient({ credentials: service.credentials, prefix: 'a' })
  await eventually(() => expect(client.acknowledged.size).toBeGreaterThan(0))
  await client.stop()
  await eventually(() => expect(service.output()).toContain('slow compaction'))
  return { service, ids: [...client.acknowledged] }
}

test.concurrent('a stop cuts off a long compaction and ends with exit code 0, and the next start compacts', async () => {
  const { service, ids } = await startCompaction()
  expect(await service.stop()).toBe(0)
  expect(service.output()).toContain('"code":"STOPPED"')
  expect(service.output()).not.toMatch(/terminate called|JOB_FAILED/)

  const next = await startService({ dataDir: service.dataDir, env: { EPOCH_SECONDS: '1' } })
  await eventually(() => expect(next.output()).toContain('EPOCH_COMPACTED'))
  const storedIds = (await allEvents(next)).map(({ event_id }) => event_id)
  expect(storedIds.toSorted()).toEqual(ids.toSorted())
  expect(await next.stop()).toBe(0)
})

test.concurrent('a second Ctrl-C ends the service at once, also during a compaction, with exit code 130', async () => {
  const { service } = await startCompaction()
  const ended = service.stop()
  // A signal that follows sooner is npm's repetition of the first one.
  await sleep(700)
  process.kill(service.pid, 'SIGINT')
  expect(await ended).toBe(130)
  expect(service.output()).not.toContain('terminate called')
})
