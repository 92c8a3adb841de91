import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Log } from '#core/ports'
import { type CompactionStart, startCompaction } from '#local/compaction/start'
import { NOTHING_BEFORE, openCompactorLake, request } from './compactor-lake.ts'

/** An epoch with one event, and compaction in a process of its own over the same lake. */
export async function openCompactionProcess({
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
