import type { Maintenance } from '#core/lake/compact/maintenance'
import { lakeGauges } from '#core/lake/model/gauges'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Log, Now } from '#core/ports'
import { DAY_MS } from '#core/time'
import type { Gauge } from '#schemas/log'
import { MANIFEST_BYTES } from '#schemas/manifests'

const MINUTE_MS = 60_000
/** How often the newest epoch is published. */
const EPOCH_EVERY_MS = DAY_MS / 4
/** Ages below this are those of a healthy lake, seconds. The lowest alarm sounds at 30 minutes. */
const HEALTHY_SECONDS = 600
/** Manifests below this size are healthy. The alarm sounds at 60 % of their bound. */
const HEALTHY_BYTES = MANIFEST_BYTES / 2

export type SchedulerServices = {
  maintenance: Maintenance
  state: Pick<LakeStateStore, 'lake' | 'shards' | 'manifestHeads'>
  clock: Now
  /** Publishes a metric. */
  gauge(name: Gauge, value: number): void
  log: Log
}

/** Runs once a minute: publishes the metrics of the lake, then runs maintenance. */
export function schedulerHandler({ maintenance, state, clock, gauge, log }: SchedulerServices) {
  return async function tick(): Promise<void> {
    try {
      const [lake, shards, manifests] = await Promise.all([
        state.lake(),
        state.shards(),
        state.manifestHeads(),
      ])
      const values = lakeGauges({ lake, shards, manifests }, clock.now())
      for (const name of Object.keys(values) as Gauge[]) {
        if (isWorthPublishing(name, values[name], clock.now())) gauge(name, values[name])
      }
      await maintenance.tick()
    } catch (error) {
      log('JOB_FAILED', { job: 'maintenance', error: String(error) })
      throw error
    }
  }
}

/**
 * CloudWatch bills a metric for each hour in which it gets a value. So a healthy lake publishes only its
 * newest epoch, every six hours: one tick may fail. Alarms take a missing value for a good one.
 */
function isWorthPublishing(name: Gauge, value: number, now: number): boolean {
  if (name === 'Epoch') return now % EPOCH_EVERY_MS < MINUTE_MS
  return value >= (name === 'ManifestBytes' ? HEALTHY_BYTES : HEALTHY_SECONDS)
}
