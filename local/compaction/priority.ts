import { constants, getPriority, setPriority } from 'node:os'
import type { CompactionStart } from './start.ts'

/**
 * Sets the priority of the process. On Linux a thread takes that of the thread which starts it, so process.ts
 * imports this before anything that starts one.
 */
const { priority }: CompactionStart = JSON.parse(process.argv[2] as string)
try {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority
  if (priority === 'low') setPriority(Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW))
} catch {
  // A sandbox may refuse it. Compaction then has the priority of the service.
}
