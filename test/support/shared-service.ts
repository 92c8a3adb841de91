import { type Service, startService } from './service-process.ts'

const SHARED = Symbol.for('footfall.sharedService')

/**
 * Returns the service of one machine that the test files of this worker process share, because a start takes
 * seconds. It starts with the first call and ends with the run. Each test creates a project of its own, and
 * neither stops the service nor counts what others may have stored.
 */
export function sharedService(): Promise<Service> {
  // A variable of this module would be lost when a test resets the modules.
  const process = globalThis as { [SHARED]?: Promise<Service> }
  process[SHARED] ??= startService({ isShared: true })
  return process[SHARED]
}
