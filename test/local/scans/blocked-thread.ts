import { parentPort, workerData } from 'node:worker_threads'
import { beat } from '#local/scans/pulse'
import type { ScanCommand, ScanMessage } from '#local/scans/scan-thread'

/**
 * A thread for tests. The first run of the analysis `blocks` blocks it for ever, in work that belongs to
 * nobody. It logs the start of each run, and all other runs end at once.
 */
beat(workerData.pulse)
parentPort?.on('message', (command: ScanCommand) => {
  if (command.kind === 'stop') return parentPort?.close()
  const { id, ...rest } = command.job
  send({ kind: 'log', code: 'STARTED', fields: { id, ...rest } })
  if (id === 'blocks' && rest.takesOver !== true) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  send({ kind: 'done', id })
})

function send(message: ScanMessage): void {
  parentPort?.postMessage(message)
}
