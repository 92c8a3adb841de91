import { lakeGauges } from '#core/lake/gauges'
import type { Maintenance } from '#core/lake/maintenance'
import type { LakeStateStore } from '#core/lake/state'
import type { Clock, Log } from '#core/ports'
import type { Gauge } from '#schemas/log'

export type SchedulerServices = {
  maintenance: Maintenance
  state: Pick<LakeStateStore, 'lake' | 'shards'>
  clock: Clock
  /** Publishes what was measured. */
  gauge(name: Gauge, value: number): void
  log: Log
}

/** What the clock sets off once a minute: measures the lake, then does what maintenance finds due. */
export function schedulerHandler({ maintenance, state, clock, gauge, log }: SchedulerServices) {
  return async (): Promise<void> => {
    try {
      const [lake, shards] = await Promise.all([state.lake(), state.shards()])
      const measured = lakeGauges({ lake, shards }, clock.now())
      for (const name of Object.keys(measured) as Gauge[]) gauge(name, measured[name])
      await maintenance.tick()
    } catch (error) {
      log('JOB_FAILED', { job: 'maintenance', error: String(error) })
      throw error
    }
  }
}
