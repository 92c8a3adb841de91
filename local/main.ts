import { firstSteps } from './demo/first-steps.ts'
import { PortError } from './http/listen.ts'
import { FolderError } from './lock.ts'
import { serviceLog } from './service-log.ts'
import { readSettings, SettingsError } from './settings.ts'
import { type Service, startService } from './start.ts'

/** `npm start`: the service of one machine as a process. Exits with 0 after SIGINT or SIGTERM, with 1 when it cannot start. */

/** npm passes on a Ctrl-C that the terminal has already sent to us: what comes this soon is the same one. */
const SAME_SIGNAL_MS = 500

// A reader that has gone, or a log file on a full disk, must not take the service with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

let service: Service | null = null
let stoppingSince: number | null = null
// The same listener from the beginning to the end: a signal that comes while one is exchanged for another is lost.
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

try {
  const settings = readSettings(process.env)
  tell('data', settings.DATA_DIR)
  tell('process', String(process.pid))
  const started = await startService(settings, serviceLog, tell)
  const { base_url, project } = started.credentials
  serviceLog('STARTED', { base_url, ms: Math.round(performance.now()) })
  const seconds = (performance.now() / 1_000).toFixed(1)
  tell('ready', `${base_url} after ${seconds} s\n${firstSteps(base_url, settings.DATA_DIR, project)}`)
  service = started
} catch (error) {
  process.stderr.write(`Footfall cannot start: ${forOperator(error)}\n`)
  process.exit(1)
}

/**
 * The first signal stops cleanly; the second one, from somebody who will not wait, at once. Before the service is ready
 * there is nothing to wait for: whatever a start has begun, the next one goes on with.
 */
async function stop(): Promise<void> {
  const now = performance.now()
  if (service === null) {
    tell('stopped', 'before it was ready; the next start goes on from here')
    process.exit(0)
  }
  if (stoppingSince !== null) {
    if (now - stoppingSince > SAME_SIGNAL_MS) process.exit(130)
    return
  }
  stoppingSince = now
  tell('stopping', 'requests under way end first; once more to stop at once')
  await service.stop()
  serviceLog('STOPPED')
  process.exit(0)
}

function tell(word: string, text: string): void {
  process.stdout.write(`${word.padEnd(8)} ${text}\n`)
}

/** What the operator can mend is told in a sentence; anything else is a defect, and its stack helps to find it. */
function forOperator(error: unknown): string {
  const known = [SettingsError, FolderError, PortError].some(kind => error instanceof kind)
  return known ? (error as Error).message : ((error as Error).stack ?? String(error))
}
