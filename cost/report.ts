import { shards } from './ingest.ts'
import { type Cost, monthlyCost } from './model.ts'
import { READ_BETWEEN, REGION } from './prices.ts'
import { type Effect, sensitivity } from './sensitivity.ts'
import { amount, dollars, table } from './table.ts'
import { defaultUsage, type Usage } from './usage.ts'

/** The reports of the tool, as text. */

export function costReport(usage: Usage): string {
  const cost = monthlyCost(usage)
  return [
    heading(usage),
    table(
      ['service', 'USD a month', 'share'],
      [
        ...cost.services.map(({ service, usd }) => [service, dollars(usd), percentage(usd, cost.total)]),
        ['total', dollars(cost.total), ''],
      ],
      [1, 2],
    ),
    perMillion(cost),
  ].join('\n\n')
}

export function linesReport(usage: Usage): string {
  const { lines, total } = monthlyCost(usage)
  const rows = lines
    .toSorted((a, b) => b.usd - a.usd)
    .map(({ service, unit, purpose, quantity, usd }) => [
      service,
      purpose,
      amount(quantity),
      unit,
      dollars(usd),
    ])
  return [
    heading(usage),
    table(
      ['service', 'for', 'units a month', 'unit', 'USD a month'],
      [...rows, ['total', '', '', '', dollars(total)]],
      [2, 4],
    ),
  ].join('\n\n')
}

export function sensitivityReport(usage: Usage): string {
  return [
    heading(usage),
    `With these settings: ${dollars(monthlyCost(usage).total)} USD a month.`,
    effectsTable(sensitivity(usage)),
  ].join('\n\n')
}

/** Formats the effects as a table. */
export function effectsTable(effects: readonly Effect[]): string {
  return table(
    ['with', 'USD a month', 'difference'],
    effects.map(({ change, usd, difference }) => [
      change,
      dollars(usd),
      `${difference < 0 ? '-' : '+'}${dollars(Math.abs(difference))}`,
    ]),
    [1, 2],
  )
}

function heading(usage: Usage): string {
  const changedSettings = (Object.keys(usage) as (keyof Usage)[])
    .filter(name => name !== 'events' && usage[name] !== defaultUsage[name])
    .map(name => `${name} ${usage[name]}`)
  return (
    `${amount(usage.events)} events a month in ${REGION}, ${shards(usage)} shard${shards(usage) === 1 ? '' : 's'}, list prices of ` +
    `${READ_BETWEEN}${changedSettings.length === 0 ? '' : ` (${changedSettings.join(', ')})`}`
  )
}

function perMillion({ perMillion }: Cost): string {
  return perMillion === null
    ? 'No events: this is the cost of an idle service.'
    : `${dollars(perMillion)} USD per million events.`
}

function percentage(part: number, whole: number): string {
  return whole === 0 ? '' : `${Math.round((part / whole) * 100)} %`
}
