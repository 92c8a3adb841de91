import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, startService } from '#test/support/service-process'
import { lakeFiles, statsTotals, waitForTotal } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

afterAll(cleanUp)

const FOREIGN = ['.local-0-5.parquet.tmp', '._local-0-5.parquet', '.DS_Store', 'local-0-5 (1).parquet']
const SEGMENT = /segments\/events\/bucket=\d+\/\d[\d-]+\.parquet$/

/** Writes the foreign files into every folder of the lake. The service deletes no folder within a day. */
function plant(lake: string): void {
  const entries = readdirSync(lake, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries.filter(entry => entry.isDirectory()))
    for (const file of FOREIGN) writeFileSync(join(parentPath, name, file), 'no Parquet')
}

test('files of a copy tool in every folder of the lake stop neither reads nor compaction nor the next start', async () => {
  const env = { EPOCH_SECONDS: '1' }
  const service = await startService({ env })
  const lake = join(service.dataDir, 'lake')
  const client = startTrackingClient({ credentials: service.credentials, prefix: 'copied', pauseMs: 100 })
  await eventually(async () => expect((await statsTotals(service)).total_events).toBeGreaterThan(0))
  for (const folder of ['quarantine', 'waiting']) mkdirSync(join(lake, folder), { recursive: true })
  plant(lake)
  await eventually(async () => {
    plant(lake)
    expect((await statsTotals(service)).total_events).toBeGreaterThan(0)
    expect(lakeFiles(service.dataDir).filter(path => SEGMENT.test(path)).length).toBeGreaterThan(1)
  })
  await client.stop()
  const sent = client.acknowledged.size
  await waitForTotal(service, sent)
  expect(service.output()).toContain('LAKE_OBJECT_FOREIGN')
  expect(service.output()).not.toContain('LAKE_OBJECT_DAMAGED')
  expect(service.output()).not.toContain('JOB_FAILED')
  await service.stop()

  const { dataDir } = service
  const restarted = await startService({ dataDir, env })
  expect((await statsTotals(restarted)).total_events).toBe(sent)
  await restarted.stop()
  expect(restarted.output()).not.toContain('LAKE_OBJECT_DAMAGED')
})
