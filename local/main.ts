import './thread-pool.ts'
import { flushCompileCache } from 'node:module'
import { caught } from './caught.ts'
import { collectWhenIdle } from './collect-garbage.ts'
import { firstSteps } from './demo/first-steps.ts'
import { FileLimitError } from './file-limit.ts'
import { handedSockets } from './http/handed-sockets.ts'
import { PortError } from './http/listen.ts'
import { FolderError } from './lock.ts'
import { serviceLog } from './service-log.ts'
import { readSettings, SettingsError } from './settings.ts'
import { type Service, type ServiceStart, startService } from './start.ts'
import { watchParent } from './watch-parent.ts'

/**
 * `npm start`: runs the service of one machine as a process. The exit code is 0 after SIGINT, SIGTERM, SIGHUP
 * or the end of npm, 1 when the service cannot start, and 130 when a second signal ends it at once.
 */

/**
 * npm repeats a Ctrl-C that the terminal has already sent to us. A signal that follows this soon is that
 * repetition.
 */
const SAME_SIGNAL_MS = 500
/**
 * A stop that takes longer is cut off, because supervisors kill after ten seconds (Docker) or later. Open
 * requests have 3 s and a compaction 5 s of it. The next start continues whatever was cut off, and
 * acknowledged events are on the disk.
 */
const STOP_WITHIN_MS = 9_000
/** Time that the threads have to end when a stop is cut off, ms. */
const HALT_WITHIN_MS = 500

// A closed pipe, or a log file on a full disk, must not end the service.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

let start: ServiceStart | null = null
let service: Service | null = null
let isEnding = false
let stoppingSince: number | null = null
// These listeners are never replaced, because a signal that arrives during a replacement would be lost.
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
// The terminal was closed.
process.on('SIGHUP', stop)
watchParent(process.env, serviceLog, stop)

try {
  const settings = readSettings(process.env)
  printStatus('data', settings.DATA_DIR)
  printStatus('process', String(process.pid))
  start = startService(settings, serviceLog, printStatus, handedSockets(process.env, process.pid))
  const startedService = await start.ready
  const { base_url, project } = startedService.credentials
  const steps = firstSteps({
    baseUrl: base_url,
    dataDir: settings.DATA_DIR,
    project,
    setupLink: await startedService.setupLink(),
    hasDemo: settings.SEED_DEMO,
    isKeyLive: startedService.isKeyLive,
  })
  serviceLog('STARTED', { base_url, ms: Math.round(performance.now()) })
  const seconds = (performance.now() / 1_000).toFixed(1)
  printStatus('ready', `${base_url} after ${seconds} s\n${steps}`)
  service = startedService
  // A service that is killed would not write what it has compiled.
  flushCompileCache()
  collectWhenIdle({ log: serviceLog, memory: process.memoryUsage.rss, afterwards: startedService.freeMemory })
} catch (error) {
  // A signal during the start makes the start fail too.
  if (!isEnding) {
    process.stderr.write(`Footfall cannot start. ${operatorMessage(error)}\n`)
    await endAtOnce(1)
  }
}

/**
 * The first signal stops the service cleanly, the second one ends the process at once. Before the service is
 * ready, the first signal ends the process too: the next start continues whatever this one has begun.
 */
async function stop(): Promise<void> {
  const now = performance.now()
  if (service === null) {
    printStatus('stopped', 'The service was not ready yet. The next start continues from here.')
    return endAtOnce(0)
  }
  if (stoppingSince !== null) {
    if (now - stoppingSince > SAME_SIGNAL_MS) await endAtOnce(130)
    return
  }
  stoppingSince = now
  printStatus('stopping', 'Open requests are finished first. Press Ctrl-C again to stop at once.')
  setTimeout(caught(serviceLog, 'cut off', cutOff), STOP_WITHIN_MS)
  await service.stop()
  serviceLog('STOPPED')
  process.exit(0)
}

/** Ends a stop that hangs or takes too long. */
async function cutOff(): Promise<void> {
  serviceLog('STOP_CUT_OFF', { ms: STOP_WITHIN_MS })
  // DuckDB aborts a process that exits while a statement runs, and a signal that nobody can catch does not.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), HALT_WITHIN_MS)
  await endAtOnce(0)
}

/** Ends the process. The work of its threads is cut off first. */
async function endAtOnce(code: number): Promise<void> {
  isEnding = true
  await start?.halt()
  process.exit(code)
}

function printStatus(label: string, text: string): void {
  process.stdout.write(`${label.padEnd(8)} ${text}\n`)
}

/**
 * An error that the operator can fix has a message for them. Any other error is our bug, so its stack is
 * printed.
 */
function operatorMessage(error: unknown): string {
  const isForOperator = [SettingsError, FolderError, FileLimitError, PortError].some(
    kind => error instanceof kind,
  )
  return isForOperator ? (error as Error).message : ((error as Error).stack ?? String(error))
}
