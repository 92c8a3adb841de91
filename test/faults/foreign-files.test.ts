import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, startService } from '#test/support/service-process'
import { lakeFiles, statsTotals } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

afterAll(cleanUp)

test('files of a copy tool in every folder of the lake stop neither reads nor compaction nor the next start', async () => {
  const env = { EPOCH_SECONDS: '3' }
  const service = await startService({ env })
  const client = startTrackingClient({ credentials: service.credentials, prefix: 'copied' })
  const folders = () => {
    const lake = join(service.dataDir, 'lake')
    const names = readdirSync(lake, { recursive: true, withFileTypes: true })
    return names.filter(name => name.isDirectory()).map(name => join(name.parentPath, name.name))
  }
  const plant = () => {
    for (const folder of folders()) {
      if (!existsSync(folder)) continue
      for (const name of [
        '.local-0-5.parquet.tmp',
        '._local-0-5.parquet',
        '.DS_Store',
        'local-0-5 (1).parquet',
      ])
        writeFileSync(join(folder, name), 'no Parquet')
    }
  }
  await eventually(async () => expect((await statsTotals(service)).total_events).toBeGreaterThan(0))
  for (const folder of ['quarantine', 'waiting']) {
    mkdirSync(join(service.dataDir, 'lake', folder), { recursive: true })
  }
  plant()
  await eventually(async () => {
    plant()
    expect((await statsTotals(service)).total_events).toBeGreaterThan(0)
    const segments = lakeFiles(service.dataDir).filter(path =>
      /segments\/events\/bucket=\d+\/\d[\d-]+\.parquet$/.test(path),
    )
    expect(segments.length).toBeGreaterThan(1)
  })
  await client.stop()
  const sent = client.acknowledged.size
  await eventually(async () => expect((await statsTotals(service)).total_events).toBe(sent))
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
