import type { JobQueue, Log } from '#core/ports'

export type RepairJob = { kind: 'repair'; key: string }

/** Returns a log that also requests a repair for each LAKE_OBJECT_DAMAGED line. */
export function createRepairingLog(log: Log, repair: (key: string) => void): Log {
  return (code, fields) => {
    log(code, fields)
    if (code === 'LAKE_OBJECT_DAMAGED') repair(String(fields?.key))
  }
}

/**
 * Sends repairs to the queue of the lake's other jobs. An object that is requested again before its repair
 * has ended is repaired once. An object that cannot be repaired is not tried again before the next start.
 */
export function createRepairs(repair: (key: string) => Promise<boolean>, jobs: JobQueue<RepairJob>) {
  const requestedKeys = new Set<string>()
  return {
    request(key: string): void {
      if (requestedKeys.has(key)) return
      requestedKeys.add(key)
      jobs.send({ kind: 'repair', key })
    },
    async run({ key }: RepairJob): Promise<void> {
      if (await repair(key)) requestedKeys.delete(key)
    },
  }
}
