import type { JobQueue, Log } from '#core/ports'

export type RepairJob = { kind: 'repair'; key: string }

/** A log that also asks for the repair of each object which is reported as damaged. */
export function repairing(log: Log, repair: (key: string) => void): Log {
  return (code, fields) => {
    log(code, fields)
    if (code === 'LAKE_OBJECT_DAMAGED') repair(String(fields?.key))
  }
}

/**
 * Repairs in the queue of the other jobs of the lake, each object once however often it is met meanwhile. One that is
 * lost is not tried again before the next start.
 */
export function createRepairs(repair: (key: string) => Promise<boolean>, jobs: JobQueue<RepairJob>) {
  const underWay = new Set<string>()
  return {
    request(key: string): void {
      if (underWay.has(key)) return
      underWay.add(key)
      jobs.send({ kind: 'repair', key })
    },
    async run({ key }: RepairJob): Promise<void> {
      if (await repair(key)) underWay.delete(key)
    },
  }
}
