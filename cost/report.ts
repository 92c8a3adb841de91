import { shards } from './ingest.ts'
import { type Cost, monthlyCost } from './model.ts'
import { CHECKED, REGION } from './prices.ts'
import { type Effect, sensitivity } from './sensitivity.ts'
import { amount, dollars, table } from './table.ts'
import { defaultUsage, type Usage } from './usage.ts'

/** What the tool prints, as text. */

export function costReport(usage: Usage): string {
  const cost = monthlyCost(usage)
  return [
    heading(usage),
    table(
      ['service', 'USD a month', 'share'],
      [
        ...cost.services.map(({ service, usd }) => [service, dollars(usd), share(usd, cost.total)]),
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
    `As it is: ${dollars(monthlyCost(usage).total)} USD a month.`,
    effects(sensitivity(usage)),
  ].join('\n\n')
}

/** The effects as a table. */
export function effects(found: readonly Effect[]): string {
  return table(
    ['with', 'USD a month', 'difference'],
    found.map(({ what, usd, difference }) => [
      what,
      dollars(usd),
      `${difference < 0 ? '-' : '+'}${dollars(Math.abs(difference))}`,
    ]),
    [1, 2],
  )
}

function heading(usage: Usage): string {
  const changed = (Object.keys(usage) as (keyof Usage)[])
    .filter(name => name !== 'events' && usage[name] !== defaultUsage[name])
    .map(name => `${name} ${usage[name]}`)
  return (
    `${amount(usage.events)} events a month in ${REGION}, ${shards(usage)} shard${shards(usage) === 1 ? '' : 's'}, list prices of ` +
    `${CHECKED}${changed.length === 0 ? '' : ` (${changed.join(', ')})`}`
  )
}

function perMillion({ perMillion }: Cost): string {
  return perMillion === null
    ? 'No events: this is what stands there idle.'
    : `${dollars(perMillion)} USD per million events.`
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : `${Math.round((part / whole) * 100)} %`
}
