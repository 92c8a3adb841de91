import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { allEvents, read, statsTotals } from '#test/support/read-back'
import {
  cleanUp,
  freePort,
  newFolder,
  type Service,
  type ServiceOptions,
  startService,
} from '#test/support/service'
import { trackingClient } from '#test/support/tracking-client'

afterAll(cleanUp)

/** Sends events for a while, and returns the ids once all of them are in the lake. */
async function sendFor(ms: number, service: Service, prefix: string, known: number): Promise<string[]> {
  const client = trackingClient({ credentials: service.credentials, prefix })
  await sleep(ms)
  await client.stop()
  const ids = [...client.acknowledged]
  await eventually(async () => expect((await statsTotals(service)).total_events).toBe(known + ids.length))
  return ids
}

async function untilCompacted(service: Service): Promise<void> {
  await eventually(() => expect(service.output()).toContain('EPOCH_COMPACTED'))
}

/** Puts the state folder back to the copy, as a disk does that had not written yet what it had confirmed. */
function putBack(dataDir: string, copy: string): void {
  rmSync(join(dataDir, 'state'), { recursive: true })
  cpSync(copy, join(dataDir, 'state'), { recursive: true })
}

async function expectOnce(service: Service, sent: string[]): Promise<void> {
  const stored = (await allEvents(service)).map(event => event.event_id).toSorted()
  expect(stored).toEqual(sent.toSorted())
  expect((await statsTotals(service)).total_events).toBe(sent.length)
  const { projects } = await read<{ projects: { total_events: number }[] }>(service, '/projects')
  expect(projects[0]?.total_events).toBe(sent.length)
}

describe.each([
  { name: 'within one epoch', epochSeconds: 3_600, compacts: false },
  { name: 'across the ends of epochs and their compaction', epochSeconds: 1, compacts: true },
])('the state goes back some seconds $name', ({ epochSeconds, compacts }) => {
  test('nothing is lost, nothing is there twice, and work goes on', async () => {
    const options: ServiceOptions = {
      dataDir: newFolder(),
      port: await freePort(),
      env: { EPOCH_SECONDS: String(epochSeconds) },
    }
    const copy = join(newFolder(), 'state')
    let service = await startService(options)
    const sent = await sendFor(1_500, service, 'before', 0)
    if (compacts) await untilCompacted(service)
    await service.kill9()
    cpSync(join(service.dataDir, 'state'), copy, { recursive: true })

    service = await startService(options)
    sent.push(...(await sendFor(2_500, service, 'forgotten', sent.length)))
    if (compacts) await untilCompacted(service)
    await service.kill9()
    putBack(service.dataDir, copy)

    service = await startService(options)
    await eventually(() => expect(service.output()).toContain('STATE_RECONCILED'))
    await eventually(() => expectOnce(service, sent), { everyMs: 500 })
    sent.push(...(await sendFor(1_500, service, 'after', sent.length)))
    if (compacts) await untilCompacted(service)
    await eventually(() => expectOnce(service, sent), { everyMs: 500 })
    expect(await service.stop()).toBe(0)
  })
})
