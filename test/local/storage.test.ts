import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { packText } from '#core/ingest/packing'
import { packRecord } from '#core/ingest/record'
import { DAY_MS } from '#core/time'
import { lakeDir } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import { openStorage } from '#local/storage'
import { systemClock } from '#providers/system-clock'
import { request } from '#test/support/compactor-lake'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'footfall-storage-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

const open = (dir = dataDir) =>
  openStorage({ dataDir: dir, compactionMemoryMb: 64, clock: systemClock, log: () => {} })

test('reads that were counted just before an orderly stop are counted after the next start', async () => {
  const first = await open()
  for (let i = 0; i < 3; i++) await first.usage.addRead('p', 'a', '2026-11-22')
  await first.close()
  const second = await open()
  expect((await second.usage.totals(['p']))[0]?.reads).toBe(3)
  expect((await second.usage.month('a', '2026-11')).reads).toBe(3)
  await second.close()
})

test.each([
  ['two days ahead', 2 * DAY_MS, 2],
  // Arrivals go on after these, so nothing comes before them.
  ['two hours ahead', 2 * 3_600_000, 1],
])(
  'after a process whose clock was %s, the epoch that a start goes on with is its own or the next one',
  async (_, ahead, epoch) => {
    const dir = await mkdtemp(join(tmpdir(), 'footfall-ahead-'))
    onTestFinished(() => rm(dir, { recursive: true, force: true }))
    const first = await open(dir)
    await first.stream.append([packRecord(request({ at: Date.now() + ahead }))])
    await first.close()
    const second = await open(dir)
    expect((await second.lakeState.lake()).epoch).toBe(epoch)
    expect(await second.isDrained()).toBe(epoch > 1)
    await second.close()
    // Its records are in a closed epoch, so the next start opens no other one.
    const third = await open(dir)
    expect((await third.lakeState.lake()).epoch).toBe(epoch)
    await third.close()
  },
)

test('records that can be read but not stored stay in quarantine, start after start, and are not appended', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-quarantine-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const first = await open(dir)
  const record = { ...request({}), received_at: 'soon' }
  const data = Buffer.from(packText(JSON.stringify(record))).toString('base64')
  const line = `${JSON.stringify({ sequence: '1', reason: 'the time of arrival', data })}\n`
  const key = 'quarantine/local-1-1.jsonl'
  await createFolderLake(lakeDir(dir)).put(key, Buffer.from(line))
  await first.close()
  for (let start = 0; start < 2; start++) {
    const next = await open(dir)
    expect(await next.isNew()).toBe(true)
    await next.close()
    expect(String(await createFolderLake(lakeDir(dir)).get(key))).toBe(line)
  }
})
