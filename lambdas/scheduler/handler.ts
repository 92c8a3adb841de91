import { lakeGauges } from '#core/lake/gauges'
import { allManifests, type Maintenance } from '#core/lake/maintenance'
import type { LakeStateStore } from '#core/lake/state'
import type { Clock, Log } from '#core/ports'
import type { Gauge } from '#schemas/log'

export type SchedulerServices = {
  maintenance: Maintenance
  state: Pick<LakeStateStore, 'lake' | 'shards' | 'manifests'>
  clock: Clock
  /** Publishes a metric. */
  gauge(name: Gauge, value: number): void
  log: Log
}

/** Runs once a minute: publishes the metrics of the lake, then runs maintenance. */
export function schedulerHandler({ maintenance, state, clock, gauge, log }: SchedulerServices) {
  return async (): Promise<void> => {
    try {
      const [lake, shards, manifests] = await Promise.all([state.lake(), state.shards(), allManifests(state)])
      const values = lakeGauges({ lake, shards, manifests }, clock.now())
      for (const name of Object.keys(values) as Gauge[]) gauge(name, values[name])
      await maintenance.tick()
    } catch (error) {
      log('JOB_FAILED', { job: 'maintenance', error: String(error) })
      throw error
    }
  }
}
