import { monthlyCost } from './model.ts'
import { CHECKED, type Price, prices } from './prices.ts'
import { effects } from './report.ts'
import { sensitivity } from './sensitivity.ts'
import { system } from './system.ts'
import { amount, dollars, table } from './table.ts'
import { type Usage, usage } from './usage.ts'

/** The tables of docs/cost.md. test/cost/document.test.ts compares them with the file, so that the two cannot drift. */

const GB = 1e9

/** The installs that the document is about. */
export const installs = {
  '1M': usage({ events: 1e6, batch: 10, projects: 1, reads: 1e3 }),
  '100M': usage({ events: 100e6, batch: 10, projects: 10, reads: 10e3 }),
  '10B': usage({ events: 10e9, batch: 10, projects: 1_000, accounts: 100, reads: 100e3 }),
} as const satisfies Record<string, Usage>

const columns = Object.values(installs)

const tables: Record<string, () => string> = {
  services: () => {
    const costs = columns.map(monthlyCost)
    const services = [...new Set(costs.flatMap(cost => cost.services.map(({ service }) => service)))]
    const last = costs.at(-1)!
    const inLast = (service: string) => last.services.find(found => found.service === service)?.usd ?? 0
    const of = (cost: (typeof costs)[number], service: string) =>
      cost.services.find(found => found.service === service)?.usd ?? 0
    return table(
      ['USD a month', ...Object.keys(installs)],
      [
        ...services
          .toSorted((a, b) => inLast(b) - inLast(a))
          .map(service => [service, ...costs.map(cost => dollars(of(cost, service)))]),
        ['**total**', ...costs.map(({ total }) => `**${dollars(total)}**`)],
        ['per million events', ...costs.map(({ perMillion }) => dollars(perMillion ?? 0))],
      ],
      [1, 2, 3],
    )
  },
  batches: () =>
    table(
      ['events a request', ...Object.keys(installs)],
      [1, 1.14, 10, 100].map(batch => [
        batch === 1.14 ? '1.14 (browsers)' : String(batch),
        ...columns.map(install => dollars(monthlyCost({ ...install, batch }).total)),
      ]),
      [1, 2, 3],
    ),
  sensitivity: () => effects(sensitivity(installs['100M'])),
  largest: () => effects(sensitivity(installs['10B']).slice(0, 8)),
  lines: () => {
    const { lines } = monthlyCost(installs['10B'])
    return table(
      ['service', 'for', 'units a month', 'unit', 'USD a month'],
      lines
        .toSorted((a, b) => b.usd - a.usd)
        .slice(0, 10)
        .map(({ service, purpose, quantity, unit, usd }) => [
          service,
          purpose,
          amount(quantity),
          unit,
          dollars(usd),
        ]),
      [2, 4],
    )
  },
  prices: () =>
    table(
      ['service', 'unit', 'USD', 'source'],
      Object.values<Price>(prices).map(({ service, unit, tiers, source }) => [
        service,
        unit,
        unitPrice(tiers[0]![1]),
        source,
      ]),
      [2],
    ),
  idle: () => {
    const { total } = monthlyCost(usage({ events: 0, reads: 0, months: 0 }))
    return `An install that gets nothing costs ${dollars(total)} USD a month: its shard, its alarms and dashboard, its minute of maintenance.`
  },
  kept: () => {
    const cents = prices.s3Stored.tiers[0][1] * 100
    const events = amount(GB / system.lake.coldBytes)
    return `Keeping events longer costs little: ${cents.toFixed(1)} cents a month for ${events} of them.`
  },
  checked: () => `Prices as found on ${CHECKED}.`,
}

/** Small ones by the million. */
function unitPrice(usd: number): string {
  const digits = { maximumSignificantDigits: 5 }
  return usd < 0.001
    ? `${(usd * 1e6).toLocaleString('en-US', digits)} a million`
    : usd.toLocaleString('en-US', digits)
}

/** The document with each of its tables, between `<!-- cost:<name> -->` and `<!-- /cost -->`, made anew. Throws for a name that is not known. */
export function withTables(document: string): string {
  return document.replace(
    /(<!-- cost:(\w+) -->\n)[\s\S]*?(<!-- \/cost -->)/g,
    (_, start: string, name: string, end: string) => {
      const make = tables[name]
      if (make === undefined) throw new Error(`docs/cost.md asks for a table ${name}, which there is not`)
      return `${start}\n${make()}\n\n${end}`
    },
  )
}
