import type { Quantity } from './charge.ts'
import type { PriceName } from './prices.ts'
import { system } from './system.ts'
import type { Usage } from './usage.ts'

/** Logs, metrics, alarms, the dashboard and traces. `work`: all that the rest of the service does. */
export function watchingQuantities({ tracing }: Usage, work: readonly Quantity[]): Quantity[] {
  const { watching, hoursAMonth, minutesAMonth } = system
  const calls = total(work, 'apiRequest')
  const invocations = total(work, 'lambdaRequest')
  const gigabytes = (calls * watching.requestLogBytes + minutesAMonth * watching.tickLogBytes) / 1e9
  const first = Math.min(invocations, watching.tracedSecond * hoursAMonth * 3_600)
  const traced = first + (invocations - first) * watching.tracedShare
  const purpose = 'watching'
  return [
    { price: 'logIn', quantity: gigabytes, purpose },
    { price: 'logStored', quantity: gigabytes * watching.logMonths, purpose },
    { price: 'metric', quantity: watching.metrics, purpose },
    { price: 'alarm', quantity: watching.alarms, purpose },
    { price: 'dashboard', quantity: watching.dashboards, purpose },
    ...(tracing === 'on' ? [{ price: 'trace', quantity: traced, purpose } as const] : []),
  ]
}

function total(quantities: readonly Quantity[], wanted: PriceName): number {
  return quantities.reduce((sum, { price, quantity }) => (price === wanted ? sum + quantity : sum), 0)
}
