import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packText } from '#core/ingest/packing'
import { openLogs } from '#local/stream/logs'
import { BUSY_SHARD, busyDir, openLogsReader } from '#local/stream/logs-reader'
import { LOCAL_SHARD } from '#local/stream/reader'
import { openStream } from '#local/stream/stream'
import { eventually } from '#test/support/eventually'

const minSequence = async () => null

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-logs-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function open(dir = folder(), options: Partial<Parameters<typeof openLogs>[1]> = {}) {
  const logs = await openLogs(dir, { log: () => {}, clock: { now: Date.now }, minSequence, ...options })
  onTestFinished(() => logs.close())
  return { dir, logs }
}

/** More than a project may send in a second without being busy. */
const FLOOD = packText(JSON.stringify('x'.repeat(3_000_000)))

async function countsOf(logs: Pick<Awaited<ReturnType<typeof openLogs>>, 'shards' | 'read'>) {
  const shards = await logs.shards()
  const counts = await Promise.all(shards.map(async shard => (await logs.read(shard, null, 1_000)).length))
  return Object.fromEntries(shards.map((shard, i) => [shard, counts[i]]))
}

/** Appends for the project until a record is in the busy log. Returns the number of appends. */
async function flood(logs: Awaited<ReturnType<typeof openLogs>>): Promise<number> {
  let appends = 0
  await eventually(async () => {
    await logs.append([FLOOD], 'flood')
    appends += 1
    expect((await countsOf(logs))[BUSY_SHARD]).toBeGreaterThan(0)
  })
  return appends
}

test('a folder without a busy project has one log', async () => {
  const { dir, logs } = await open()
  await logs.append([Buffer.from('a')], 'quiet')
  await logs.append([Buffer.from('b')])
  expect(await countsOf(logs)).toEqual({ [LOCAL_SHARD]: 2 })
  expect(existsSync(busyDir(dir))).toBe(false)
})

test('records of a busy project get a log of their own, other records do not, and none is lost', async () => {
  const { dir, logs } = await open()
  const reader = openLogsReader(dir)
  onTestFinished(() => reader.close())
  expect(await reader.shards()).toEqual([LOCAL_SHARD])
  const appends = await flood(logs)
  const before = await countsOf(logs)
  await logs.append([Buffer.from('quiet')], 'quiet')
  await logs.append([FLOOD], 'flood')
  const counts = await countsOf(logs)
  expect(counts).toEqual({
    [LOCAL_SHARD]: (before[LOCAL_SHARD] ?? 0) + 1,
    [BUSY_SHARD]: (before[BUSY_SHARD] ?? 0) + 1,
  })
  expect((counts[LOCAL_SHARD] ?? 0) + (counts[BUSY_SHARD] ?? 0)).toBe(appends + 2)
  expect(await countsOf(reader)).toEqual(counts)
})

test('the busy log of an earlier start is read, also when nobody is busy now, and its sequences go on', async () => {
  const { dir, logs } = await open()
  await flood(logs)
  const counts = await countsOf(logs)
  await logs.close()
  const again = await open(dir)
  expect(await countsOf(again.logs)).toEqual(counts)
  await again.logs.append([FLOOD], 'flood')
  const sequences = (await again.logs.read(BUSY_SHARD, null, 1_000)).map(({ sequence }) => Number(sequence))
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
  expect(new Set(sequences).size).toBe((counts[BUSY_SHARD] ?? 0) + 1)
})

test('a data folder of a version with one log is opened', async () => {
  const dir = folder()
  const old = await openStream(dir, { log: () => {} })
  await old.append([Buffer.from('old')])
  await old.close()
  const { logs } = await open(dir)
  expect(await countsOf(logs)).toEqual({ [LOCAL_SHARD]: 1 })
})

test('while the busy log cannot be opened, its records go to the other log, and the failure is logged', async () => {
  const codes: string[] = []
  const { logs } = await open(folder(), {
    log: code => codes.push(code),
    minSequence: async shard => {
      if (shard === BUSY_SHARD) throw new Error('no state')
      return null
    },
  })
  await eventually(async () => {
    await logs.append([FLOOD], 'flood')
    expect(codes).toEqual(['STREAM_UNAVAILABLE'])
  })
  await logs.append([FLOOD], 'flood')
  expect(Object.keys(await countsOf(logs))).toEqual([LOCAL_SHARD])
})

test('bytes that wait are counted for each log, and old records are deleted from each', async () => {
  const { dir, logs } = await open()
  await flood(logs)
  await logs.append([Buffer.alloc(100)], 'quiet')
  await logs.append([Buffer.alloc(100)], 'quiet')
  const reader = openLogsReader(dir)
  onTestFinished(() => reader.close())
  const last = async (shard: string) => (await reader.read(shard, null, 1_000)).at(-1)?.sequence ?? '0'
  expect(reader.bytesAfter(LOCAL_SHARD, null)).toBeGreaterThanOrEqual(200)
  expect(reader.bytesAfter(BUSY_SHARD, null)).toBeGreaterThan(0)
  expect(reader.bytesAfter(BUSY_SHARD, await last(BUSY_SHARD))).toBe(0)
  const before = await countsOf(reader)
  expect(await reader.prune(LOCAL_SHARD, await last(LOCAL_SHARD), Date.now() + 1_000)).toBe(
    (before[LOCAL_SHARD] ?? 0) - 1,
  )
  expect((await countsOf(reader))[BUSY_SHARD]).toBe(before[BUSY_SHARD])
  expect(reader.scrub()).toBe(true)
})
