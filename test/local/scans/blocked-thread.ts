import { parentPort } from 'node:worker_threads'
import type { ScanCommand, ScanMessage } from '#local/scans/scan-thread'

/**
 * A thread for tests. The first run of the analysis `blocks` blocks it for ever. It logs the start of each
 * run, and all other runs end at once.
 */
parentPort?.on('message', (command: ScanCommand) => {
  if (command.kind === 'stop') return parentPort?.close()
  const { id, takesOver = false } = command.job
  send({ kind: 'log', code: 'STARTED', fields: { id, takesOver } })
  if (id === 'blocks' && !takesOver) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  send({ kind: 'done', id })
})

function send(message: ScanMessage): void {
  parentPort?.postMessage(message)
}
