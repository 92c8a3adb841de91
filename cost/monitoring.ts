import type { Quantity } from './charge.ts'
import type { PriceName } from './prices.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/**
 * The cost of logs, metrics, alarms, the dashboard and traces. `workload` has the quantities of the rest of
 * the service.
 */
export function monitoringQuantities(
  { tracing, dashboard, alarms }: Usage,
  workload: readonly Quantity[],
): Quantity[] {
  const { monitoring, hoursPerMonth, minutesPerMonth } = system
  const calls = total(workload, 'apiRequest')
  const invocations = total(workload, 'lambdaRequest')
  const gigabytes = (calls * monitoring.requestLogBytes + minutesPerMonth * monitoring.tickLogBytes) / 1e9
  const firstOfSecond = Math.min(invocations, monitoring.tracedSecond * hoursPerMonth * 3_600)
  const traced = firstOfSecond + (invocations - firstOfSecond) * monitoring.tracedShare
  const purpose = 'monitoring'
  return [
    { price: 'logIn', quantity: gigabytes, purpose },
    { price: 'logStored', quantity: gigabytes * monitoring.logMonths, purpose },
    { price: 'metric', quantity: monitoring.metrics, purpose },
    {
      price: 'alarm',
      quantity: monitoring.alarms.main + (alarms === 'all' ? monitoring.alarms.early : 0),
      purpose,
    },
    { price: 'dashboard', quantity: dashboard === 'on' ? monitoring.dashboards : 0, purpose },
    ...(tracing === 'on' ? [{ price: 'trace', quantity: traced, purpose } as const] : []),
  ]
}

function total(quantities: readonly Quantity[], priceName: PriceName): number {
  return quantities.reduce((sum, { price, quantity }) => (price === priceName ? sum + quantity : sum), 0)
}
