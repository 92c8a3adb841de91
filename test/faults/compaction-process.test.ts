import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { constants, getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCompactor } from '#duckdb/compactor'
import { startBothCompactions } from '#local/compaction/start'
import { execArgv } from '#local/thread-options'
import { openCompactionProcess } from '#test/support/compaction-process'
import { NOTHING_BEFORE } from '#test/support/compactor-lake'

/** Compaction in a process of its own: each test starts it, and some kill it or the service. */

test('the process writes the same files as a compaction in the process of the caller', async () => {
  const { compact, dataDir, hot, keys, lake } = await openCompactionProcess()
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
] as const)('the process runs with %s priority, and `stop` ends it', async (priority, nice) => {
  const { compact, compaction, pids } = await openCompactionProcess({ priority })
  await compact()
  const [pid = 0] = pids()
  expect(getPriority(pid)).toBe(Math.min(getPriority() + nice, constants.priority.PRIORITY_LOW))
  await compaction.stop()
  expect(pids()).toEqual([])
})

test('a damaged object of the lake is logged, and the call rejects with an error that names it', async () => {
  const { compact, dataDir, hot, logged } = await openCompactionProcess()
  await writeFile(join(dataDir, 'lake', String(hot[0]?.key)), 'no Parquet')
  await expect(compact()).rejects.toThrow(`${hot[0]?.key} cannot be read`)
  expect(logged).toEqual([['LAKE_OBJECT_DAMAGED', expect.objectContaining({ key: hot[0]?.key })]])
})

test('the signal ends the process, and its calls reject with its reason', async () => {
  const { compact, pids, stopping } = await openCompactionProcess()
  const call = compact()
  await expect.poll(pids).toHaveLength(1)
  stopping.abort(new Error('The service stops.'))
  await expect(call).rejects.toThrow('The service stops.')
  await expect(compact()).rejects.toThrow('The service stops.')
  await expect.poll(pids).toEqual([])
})

test('the process ends when it has no call, and the next call starts another process', async () => {
  const { compact, pids } = await openCompactionProcess({ idleMs: 100 })
  await compact()
  await expect.poll(pids).toHaveLength(0)
  expect(await compact()).toMatchObject([{ segment: { rows: 1 } }])
})

test('a job of the other priority ends the process that is idle, and not one that works', async () => {
  const { dataDir, hot, stopping, pids } = await openCompactionProcess()
  const both = startBothCompactions({ dataDir, memoryMb: 128 }, { log() {}, signal: stopping.signal })
  const compact = (priority: keyof typeof both) =>
    both[priority].compactor.compactEpoch({
      epoch: 1,
      hot,
      buckets: [{ bucket: 7, eventIds: [], ...NOTHING_BEFORE }],
    })
  await compact('low')
  const [low = 0] = pids()
  for (const priority of ['normal', 'low', 'low', 'normal'] as const) {
    expect(await compact(priority)).toMatchObject([{ segment: { rows: 1 } }])
    expect(pids()).toHaveLength(1)
  }
  expect(pids()).not.toContain(low)
  const results = await Promise.all([compact('low'), compact('normal'), compact('low')])
  expect(results).toHaveLength(3)
  await Promise.all([both.low.stop(), both.normal.stop()])
  expect(pids()).toEqual([])
})

test('when the process is killed, its calls reject, and the next call starts another process', async () => {
  const { compact, pids } = await openCompactionProcess()
  const call = compact()
  await expect.poll(pids).toHaveLength(1)
  const [pid = 0] = pids()
  process.kill(pid, 'SIGKILL')
  await expect(call).rejects.toThrow('The process of compaction has ended with SIGKILL.')
  expect(await compact()).toMatchObject([{ segment: { rows: 1 } }])
  expect(pids()).not.toContain(pid)
})

test('the process ends with a service that is killed', async () => {
  const { dataDir, pids } = await openCompactionProcess()
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
