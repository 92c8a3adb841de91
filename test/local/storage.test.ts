import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStorage } from '#local/storage'
import { systemClock } from '#providers/system-clock'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'footfall-storage-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const open = () => openStorage({ dataDir, compactionMemoryMb: 64, clock: systemClock, log: () => {} })

test('reads that were counted just before an orderly stop are counted after the next start', async () => {
  const first = await open()
  for (let i = 0; i < 3; i++) await first.usage.addRead('p', 'a', '2026-11-22')
  await first.close()
  const second = await open()
  expect((await second.usage.totals(['p']))[0]?.reads).toBe(3)
  expect((await second.usage.month('a', '2026-11')).reads).toBe(3)
  await second.close()
})
