import { BILLED } from '#core/plans/profile'
import { configMisses } from './cached-config.ts'
import { scriptLoads } from './ingest.ts'
import { monthlyCost } from './model.ts'
import { type Price, prices, READ_BETWEEN, type Source } from './prices.ts'
import { readFigures } from './reads.ts'
import { effectsTable } from './report.ts'
import { scaleTable } from './scale.ts'
import { segmentBytesPerEvent } from './segments.ts'
import { sensitivity } from './sensitivity.ts'
import { system } from './system.ts'
import { amount, dollars, table } from './table.ts'
import { type Usage, usage } from './usage.ts'

/**
 * The tables of docs/cost.md and docs/scale.md. test/cost/document.test.ts checks that both have the current
 * ones.
 */

const GB = 1e9
/** What a million events of browsers may cost at 100M a month with 30,000 reads. */
const TARGET_USD = 2.5

/** The example installs of the document, by their events a month. */
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
    const largest = costs.at(-1)!
    const usdOfLargest = (service: string) =>
      largest.services.find(entry => entry.service === service)?.usd ?? 0
    const usdOf = (cost: (typeof costs)[number], service: string) =>
      cost.services.find(entry => entry.service === service)?.usd ?? 0
    return table(
      ['USD a month', ...Object.keys(installs)],
      [
        ...services
          .toSorted((a, b) => usdOfLargest(b) - usdOfLargest(a))
          .map(service => [service, ...costs.map(cost => dollars(usdOf(cost, service)))]),
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
  sensitivity: () => effectsTable(sensitivity(installs['100M'])),
  largest: () => effectsTable(sensitivity(installs['10B']).slice(0, 8)),
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
      ['service', 'unit', 'USD', 'read on', 'source'],
      Object.values<Price>(prices).map(({ service, unit, tiers, source }) => [
        service,
        unit,
        unitPrice(tiers[0]![1]),
        source.readOn,
        linkTo(source),
      ]),
      [2],
    ),
  idle: () => {
    const idle = usage({ events: 0, reads: 0, months: 0 })
    const usd = (change: Partial<Usage>) => monthlyCost({ ...idle, ...change }).total
    const lines = table(
      ['idle, by the largest lines', 'units a month', 'USD a month', 'price of'],
      monthlyCost(idle)
        .lines.filter(({ usd: each }) => each >= 0.1)
        .toSorted((a, b) => b.usd - a.usd)
        .map(({ service, unit, quantity, purpose, usd: each }) => [
          `${service}, ${purpose}: ${unit}`,
          amount(quantity),
          dollars(each),
          sourceOf(service, unit),
        ]),
      [1, 2],
    )
    const early = dollars(usd({}) - usd({ alarms: 'main' }))
    return `An install without traffic costs ${dollars(usd({ alarms: 'main' }))} USD a month: one shard, the alarms and the maintenance of every minute. With an address for alarms it has the early alarms too (${early}), and costs ${dollars(usd({}))}; the free tier that every account has for ever takes that down to ${dollars(usd({ freeTier: 'yes' }))}, and \`earlyAlarms=false\` to ${dollars(usd({ freeTier: 'yes', alarms: 'main' }))}.

${lines}

The pages of the prices were read ${READ_BETWEEN}.`
  },
  small: () => {
    const small = usage({ events: 1e6, batch: 10, projects: 1, reads: 30e3 })
    const usd = (change: Partial<Usage>): string => dollars(monthlyCost({ ...small, ...change }).total)
    const row = (name: string, change: Partial<Usage>): string[] => {
      const { lists, gets } = readFigures({ ...small, ...change })
      return [name, lists.toFixed(1), gets.toFixed(0), usd(change)]
    }
    return table(
      ['1M events, 1,000 reads a day', 'LISTs a read', 'GETs a read', 'USD a month'],
      [
        row('default', {}),
        row('event_ids with all events', { eventIds: 'yes' }),
        row('epochs of 10 minutes', { epochMinutes: 10 }),
        row('epochs of 30 minutes', { epochMinutes: 30 }),
        row('epochs of an hour', { epochMinutes: 60 }),
        row('the dashboard', { dashboard: 'on' }),
        row('with the free tier of every account', { freeTier: 'yes' }),
      ],
      [1, 2, 3],
    )
  },
  people: () => {
    const base = usage({ events: 1e6, batch: 10, projects: 1, reads: 0 })
    const row = (name: string, people: number): string[] => [
      name,
      ...[system.dashboard.refreshSeconds, 60].map(refreshSeconds =>
        dollars(monthlyCost({ ...base, people, refreshSeconds }).total - monthlyCost(base).total),
      ),
    ]
    return table(
      ['the overview on the screen', 'every 5 minutes, USD a month', 'every minute'],
      [
        row('one person, eight hours a working day (`--people 1`)', 1),
        row('three people', 3),
        row('a screen on the wall', system.hoursPerMonth / system.dashboard.visibleHours),
      ],
      [1, 2],
    )
  },
  streams: () => {
    const base = usage({ events: 0, reads: 0, months: 0 })
    const month = (change: Partial<Usage>) =>
      monthlyCost({ ...base, ...change }).total - monthlyCost(base).total
    const row = (name: string, change: Partial<Usage>): string[] => {
      const usd = month(change)
      return [name, dollars(usd / system.daysPerMonth), dollars(usd)]
    }
    return table(
      ['one view that is open all the time', 'USD a day', 'USD a month'],
      [
        row(`polls: \`GET /live\` with \`after\`, every ${system.live.pollSeconds} s`, { polls: 1 }),
        row('an open stream: `GET /stream`', { streams: 1 }),
        row('ten open streams', { streams: 10 }),
      ],
      [1, 2],
    )
  },
  links: () =>
    table(
      ['install', 'USD a statement', 'statements a day', 'USD a day'],
      Object.entries(installs).map(([name, install]) => {
        const more = { ...install, reads: install.reads + 1e6 }
        const aRead = (monthlyCost(more).total - monthlyCost(install).total) / 1e6
        // A statement counts once for each of the smallest ones that Athena's bill has for it.
        const statements = readFigures(install).bytes / system.stats.minimumBytes
        const { guest_statements_per_day: aDay } = BILLED
        const aStatement = aRead / statements
        return [name, aStatement.toFixed(6), amount(aDay), dollars(aStatement * aDay)]
      }),
      [1, 2, 3],
    ),
  analyses: () => {
    const base = usage({ events: 0, reads: 0, months: 0 })
    const cost = (change: Partial<Usage>) =>
      dollars(monthlyCost({ ...base, ...change }).total - monthlyCost(base).total)
    return `A thousand full analyses cost ${cost({ analyses: 1e3 })} USD, and ${cost({ analyses: 1e3, textModel: 'on' })} USD with a text model at the price of Claude Haiku 4.5.`
  },
  replays: () => {
    const base = usage({ events: 0, reads: 0, months: 0, replays: 10e3 })
    const of = (change: Partial<Usage>) => {
      const lines = monthlyCost({ ...base, ...change }).lines
      return (purpose: RegExp, prices = /./) =>
        lines
          .filter(line => purpose.test(line.purpose) && prices.test(line.price))
          .reduce((sum, { usd }) => sum + usd, 0)
    }
    const row = (name: string, change: Partial<Usage>): string[] => {
      const usd = of(change)
      const parts = [/^s3/, /^state/, /^cloudfront/, /^api/, /^lambda/].map(prices => usd(/replays$/, prices))
      return [name, ...[...parts, usd(/replays$/)].map(dollars)]
    }
    return table(
      ['10,000 replays a month', 'S3', 'DynamoDB', 'CloudFront', 'API Gateway', 'Lambda', 'USD a month'],
      [
        row('of 5 minutes, each tenth watched', {}),
        row('of 5 minutes, all watched once', { replayViews: 1 }),
        row('of 1 minute', { replayMinutes: 1 }),
        row('of 15 minutes', { replayMinutes: 15 }),
      ],
      [1, 2, 3, 4, 5, 6],
    )
  },
  ingestion: () => {
    const browsers = usage({ events: 100e6, reads: 30e3 })
    const row = (name: string, change: Partial<Usage>): string[] => {
      const { total, perMillion } = monthlyCost({ ...browsers, ...change })
      return [name, dollars(total), dollars(perMillion ?? 0)]
    }
    return table(
      ['100M events of browsers, 30,000 reads', 'USD a month', 'USD a million events'],
      [
        row('API Gateway', {}),
        row('a function URL', { ingestion: 'function-url' }),
        row('a function URL, and a fifth more requests by bots', { ingestion: 'function-url', bots: 0.2 }),
        row('a function URL, and as many funnels as reads', {
          ingestion: 'function-url',
          queries: browsers.reads,
        }),
      ],
      [1, 2],
    )
  },
  target: () => {
    const browsers = usage({ events: 100e6, reads: 30e3 })
    const perMillion = (change: Partial<Usage>) => monthlyCost({ ...browsers, ...change }).perMillion ?? 0
    let batch: number = browsers.batch
    while (perMillion({ batch }) > TARGET_USD) batch += 0.01
    return table(
      ['with API Gateway', 'events a request', 'USD a million events'],
      [
        ['today: the tracker sends every five seconds', browsers.batch],
        [`needed for ${TARGET_USD.toFixed(2)} USD`, batch],
        ['a tracker that sends when the page is hidden (estimated)', 3],
      ].map(([name, events]) => [
        String(name),
        Number(events).toFixed(2),
        dollars(perMillion({ batch: Number(events) })),
      ]),
      [1, 2],
    )
  },
  misses: () => {
    const busy = usage({ events: 100e6, reads: 0 })
    const usd = monthlyCost(busy)
      .lines.filter(({ purpose }) => purpose === 'experiments')
      .reduce((sum, line) => sum + line.usd, 0)
    return `At 100M events of browsers, ${amount(configMisses(busy))} of the ${amount(scriptLoads(busy))} requests for experiments reach the service, which costs ${dollars(usd)} USD.`
  },
  direct: () => {
    const { lambdaRequest, lambdaArmSecond } = prices
    const ms = 5
    const usd = 1e6 * lambdaRequest.tiers[0]![1] + 1e3 * ms * (512 / 1_024) * lambdaArmSecond.tiers[0]![1]
    return `A million direct hits on a function URL, which answers them with 403, cost about ${dollars(usd)} USD.`
  },
  storage: () => {
    const cents = prices.s3Stored.tiers[0][1] * 100
    const events = amount(GB / segmentBytesPerEvent)
    return `Long retention costs little: ${cents.toFixed(1)} cents a month for ${events} events.`
  },
  scale: scaleTable,
  date: () => `The pages were read ${READ_BETWEEN}.`,
}

/** Formats the price of a unit. Small prices are for a million units. */
function unitPrice(usd: number): string {
  const digits = { maximumSignificantDigits: 5 }
  return usd < 0.001
    ? `${(usd * 1e6).toLocaleString('en-US', digits)} a million`
    : usd.toLocaleString('en-US', digits)
}

/**
 * Returns the document with current tables between `<!-- cost:<name> -->` and `<!-- /cost -->`. Throws for an
 * unknown name.
 */
export function withTables(document: string): string {
  return document.replace(
    /(<!-- cost:(\w+) -->\n)[\s\S]*?(<!-- \/cost -->)/g,
    (_, start: string, name: string, end: string) => {
      const createTable = tables[name]
      if (createTable === undefined) throw new Error(`The page names an unknown table: ${name}.`)
      return `${start}\n${createTable()}\n\n${end}`
    },
  )
}

function sourceOf(service: string, unit: string): string {
  const found = Object.values<Price>(prices).find(each => each.service === service && each.unit === unit)
  return found === undefined ? '' : linkTo(found.source)
}

/** A link to the page, by its host and last part. */
function linkTo({ page }: Source): string {
  const { hostname, pathname } = new URL(page)
  const name = pathname.split('/').filter(Boolean).at(-1) ?? ''
  return `[${hostname}: ${name}](${page})`
}
