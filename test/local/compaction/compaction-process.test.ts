import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Log } from '#core/ports'
import { createCompactor } from '#duckdb/compactor'
import { type CompactionStart, startCompaction } from '#local/compaction/start'
import { execArgv } from '#local/thread-options'
import { NOTHING_BEFORE, openCompactorLake, request } from '#test/support/compactor-lake'

/** An epoch with one event, and compaction in a process of its own over the same lake. */
async function openLake({
  idleMs,
  priority = 'low',
}: {
  idleMs?: number
  priority?: CompactionStart['priority']
} = {}) {
  const lake = await openCompactorLake()
  const dataDir = dirname(lake.tempDir)
  const hot = [await lake.writeHot(1, [request({})])]
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort(new Error('The test has ended.')))
  const logged: Parameters<Log>[] = []
  const compaction = startCompaction(
    { dataDir, memoryMb: 128, priority },
    {
      log: (...line) => logged.push(line),
      signal: stopping.signal,
      ...(idleMs !== undefined && { idleMs }),
    },
  )
  const compact = () =>
    compaction.compactor.compactEpoch({
      epoch: 1,
      hot,
      buckets: [{ bucket: 7, eventIds: [], ...NOTHING_BEFORE }],
    })
  return { ...lake, dataDir, hot, stopping, logged, compaction, compact, pids: () => processesOf(dataDir) }
}

/** The processes of compaction of a data folder. They have its path in their arguments. */
function processesOf(dataDir: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      const args = readArguments(pid)
      return args.includes('local/compaction/process.ts') && args.includes(dataDir)
    })
    .map(Number)
}

/** Empty for a process that has ended. */
function readArguments(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

test('the process writes the same files as a compaction in the process of the caller', async () => {
  const { compact, dataDir, hot, keys, lake } = await openLake()
  const [there] = await compact()
  const files = await Promise.all((await keys('segments/')).map(key => lake.get(key)))
  const compactor = createCompactor({
    ...{ lake, tempDir: join(dataDir, 'temp'), log() {}, memoryMb: 128, threads: 1 },
  })
  const [here] = await compactor.compactEpoch({
    epoch: 1,
    hot,
    buckets: [{ bucket: 7, eventIds: [], ...NOTHING_BEFORE }],
  })
  expect(there).toEqual(here)
  expect(there).toMatchObject({ bucket: 7, segment: { rows: 1 } })
  expect(await Promise.all((await keys('segments/')).map(key => lake.get(key)))).toEqual(files)
})

test.each([
  ['low', 10],
  ['normal', 0],
] as const)('runs with %s priority', async (priority, nice) => {
  const { compact, pids } = await openLake({ priority })
  await compact()
  const [pid = 0] = pids()
  expect(getPriority(pid)).toBe(Math.min(getPriority() + nice, constants.priority.PRIORITY_LOW))
})

test('a damaged object of the lake is logged, and the call rejects with an error that names it', async () => {
  const { compact, dataDir, hot, logged } = await openLake()
  await writeFile(join(dataDir, 'lake', String(hot[0]?.key)), 'no Parquet')
  await expect(compact()).rejects.toThrow(`${hot[0]?.key} cannot be read`)
  expect(logged).toEqual([['LAKE_OBJECT_DAMAGED', expect.objectContaining({ key: hot[0]?.key })]])
})

test('when the process is killed, its calls reject, and the next call starts another process', async () => {
  const { compact, pids } = await openLake()
  const call = compact()
  await expect.poll(pids).toHaveLength(1)
  const [pid = 0] = pids()
  process.kill(pid, 'SIGKILL')
  await expect(call).rejects.toThrow('The process of compaction has ended with SIGKILL.')
  expect(await compact()).toMatchObject([{ segment: { rows: 1 } }])
  expect(pids()).not.toContain(pid)
})

test('the signal ends the process, and its calls reject with its reason', async () => {
  const { compact, pids, stopping } = await openLake()
  const call = compact()
  await expect.poll(pids).toHaveLength(1)
  stopping.abort(new Error('The service stops.'))
  await expect(call).rejects.toThrow('The service stops.')
  await expect(compact()).rejects.toThrow('The service stops.')
  await expect.poll(pids).toEqual([])
})

test('the process ends when it has no call, and the next call starts another process', async () => {
  const { compact, pids } = await openLake({ idleMs: 100 })
  await compact()
  await expect.poll(pids).toHaveLength(0)
  expect(await compact()).toMatchObject([{ segment: { rows: 1 } }])
  expect(pids()).toHaveLength(1)
})

test('`stop` ends the process', async () => {
  const { compact, compaction, pids } = await openLake()
  await compact()
  await compaction.stop()
  expect(pids()).toEqual([])
})

test('the process ends with a service that is killed', async () => {
  const { dataDir, pids } = await openLake()
  const code = `
    const { startCompaction } = await import('#local/compaction/start')
    const { compactor } = startCompaction(${JSON.stringify({ dataDir, memoryMb: 128, priority: 'low' })}, { log() {}, signal: new AbortController().signal })
    await compactor.describeSegment(7, { from: 1, until: 2, generation: 0, parts: 0 }).catch(() => {})
    console.log('ready')`
  const service = spawn(process.execPath, [...execArgv, '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(service.stdout, 'data')
  expect(pids()).toHaveLength(1)
  service.kill('SIGKILL')
  await expect.poll(pids).toHaveLength(0)
})
