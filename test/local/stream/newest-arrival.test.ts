import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import { DAY_MS } from '#core/time'
import { createFolderLake } from '#local/lake/folder'
import { openLogs } from '#local/stream/logs'
import { continueOrder, newestTimes } from '#local/stream/newest-arrival'
import { LOCAL_SHARD } from '#local/stream/reader'
import { addErasure } from '#test/support/add-erasure'
import { request } from '#test/support/compactor-lake'
import { segmentOf } from '#test/support/fixed-lake'
import { createMemoryLakeState } from '#test/support/memory-lake-state'

const NOW = Date.parse('2026-11-29T12:00:00Z')
const HOUR = 3_600_000

async function open() {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-newest-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const settings = { log: () => {}, clock: { now: () => NOW }, minSequence: async () => null }
  return { dir, logs: await openLogs(dir, settings), reopen: () => openLogs(dir, settings) }
}

test('after a restart with a clock that was set back arrivals go on after those in the log', async () => {
  const { logs, reopen } = await open()
  const arrivals = [NOW + 2 * HOUR, NOW + 2 * HOUR + 5, NOW + 2 * HOUR + 4]
  for (const at of arrivals) await logs.append([packRecord(request({ at }))])
  await logs.append([Buffer.from('unreadable')])
  await logs.close()
  const reopened = await reopen()
  onTestFinished(() => reopened.close())
  expect(reopened.newest(LOCAL_SHARD, 2)).toHaveLength(2)
  const times = await newestTimes(reopened, createMemoryLakeState())
  expect(times).toEqual({ logged: expect.arrayContaining(arrivals), stored: [], untils: [] })
  const order = continueOrder(times.logged, NOW)
  expect(order.take(NOW, 1).receivedAt).toBe(NOW + 2 * HOUR + 6)
})

test('segments and erasures count with the end of their newest second', async () => {
  const { dir, logs } = await open()
  onTestFinished(() => logs.close())
  const state = createMemoryLakeState()
  const manifest = await state.manifest(7)
  const segments = [segmentOf({ lastArrival: NOW / 1_000 + 60 })]
  const erased = { project_id: 'p', users: null, until: NOW + 90_001 }
  const added = await addErasure(createFolderLake(join(dir, 'lake')), { ...manifest, segments }, erased, NOW)
  await state.saveManifest(added)
  const times = await newestTimes(logs, state)
  expect(times).toEqual({ logged: [], stored: [NOW + 60_999], untils: [NOW + 90_999] })
})

test('what is more than a day ahead does not move the order', () => {
  const order = continueOrder([NOW + DAY_MS, NOW + DAY_MS + 1, NOW - 5], NOW)
  expect(order.take(NOW, 1).receivedAt).toBe(NOW + DAY_MS + 1)
  expect(continueOrder([NOW + 365 * DAY_MS], NOW).take(NOW, 1).receivedAt).toBe(NOW)
})
