import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { execArgv } from '#local/thread-options'
import { openCompactionProcess } from '#test/support/compaction-process'

/** Compaction in a process of its own, when that process or the service is killed. */

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
