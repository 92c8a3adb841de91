import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import {
  cleanUp,
  newFolder,
  type Service,
  type ServiceOptions,
  startService,
} from '#test/support/service-process'
import { allEvents, readJson, statsTotals, waitForTotal } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

afterAll(cleanUp)

/** Events of each part. */
const EVENTS = 30

/** Sends events, and returns their ids once all of them are in the lake. */
async function send(service: Service, prefix: string, previousCount: number): Promise<string[]> {
  const ids = await sendEvents(EVENTS, { credentials: service.credentials, prefix })
  await waitForTotal(service, previousCount + ids.length)
  return ids
}

async function waitForCompaction(service: Service): Promise<void> {
  await eventually(() => expect(service.output()).toContain('EPOCH_COMPACTED'))
}

const STATE_FILES = ['state.db', 'state.db-wal']

/**
 * Copies the state from one folder to another. A disk that had not written its cache does the same with an
 * older state.
 */
function copyState(from: string, to: string): void {
  for (const name of [...STATE_FILES, 'state.db-shm']) rmSync(join(to, name), { force: true })
  for (const name of STATE_FILES) cpSync(join(from, name), join(to, name))
}

async function expectEachOnce(service: Service, ids: string[]): Promise<void> {
  expect((await statsTotals(service)).total_events).toBe(ids.length)
  const storedIds = (await allEvents(service)).map(event => event.event_id).toSorted()
  expect(storedIds).toEqual(ids.toSorted())
  const { projects } = await readJson<{ projects: { total_events: number }[] }>(service, '/projects')
  expect(projects[0]?.total_events).toBe(ids.length)
}

test('after a power cut that sets the state back across epochs, every event is stored once and work continues', async () => {
  const options: ServiceOptions = {
    dataDir: newFolder(),
    port: await keepPort(),
    env: { EPOCH_SECONDS: '1' },
  }
  const copy = newFolder()
  let service = await startService(options)
  const ids = await send(service, 'before', 0)
  await waitForCompaction(service)
  await service.kill9()
  copyState(service.dataDir, copy)

  service = await startService(options)
  ids.push(...(await send(service, 'compacted', ids.length)))
  await waitForCompaction(service)
  // These are in hot files of the current epoch.
  ids.push(...(await send(service, 'hot', ids.length)))
  await service.kill9()
  copyState(copy, service.dataDir)

  service = await startService(options)
  await eventually(() => expect(service.output()).toContain('STATE_RECONCILED'))
  await eventually(() => expectEachOnce(service, ids))
  ids.push(...(await send(service, 'after', ids.length)))
  await waitForCompaction(service)
  await eventually(() => expectEachOnce(service, ids))
  expect(await service.stop()).toBe(0)
  expect(service.output()).not.toMatch(/LAKE_BEHIND|JOB_FAILED/)
})
