import {
  COMPARE,
  callCommand,
  days,
  type Flag,
  limit,
  NAME,
  parametersOf,
  SEGMENT,
  SINCE,
  TZ,
  UNTIL,
  WHERE,
} from '#cli/command'
import { parsedFilters } from '#cli/filters'
import { type Column, type Format, line, type Row, type TableBlock } from '#cli/print/blocks'
import { besideCompared } from '#cli/print/compared'
import { reportHeading } from '#cli/print/periods'

const FLAGS: readonly Flag[] = [
  {
    flags: '--metrics <names>',
    parameter: 'metrics',
    as: 'list',
    help: 'event_count, unique_users, session_count, bounce_rate, single_page_rate, avg_duration, or sum(properties.x), avg, min, max, p50, p75, p90, p95, p99, unique, or rate({condition}), people({condition}) (default: event_count)',
  },
  {
    flags: '--group-by <fields>',
    parameter: 'group_by',
    as: 'list',
    help: 'event, date, hour, weekday, user_id, session_id, country, properties.x, traits.x, channel, source, entry_page …',
  },
  {
    flags: '--filter <filter>',
    as: 'repeated',
    help: 'event=signup, properties.path!=/, properties.value>=10, properties.path~pricing, country:in:DE,AT; several must all hold; or JSON',
  },
  { flags: '--from <date>', parameter: 'date_from', help: 'the same as --since (default: 7d)' },
  { flags: '--to <date>', parameter: 'date_to', help: 'the same as --until' },
  SINCE,
  UNTIL,
  { ...days(), parameter: undefined as never },
  {
    flags: '--count-mode <mode>',
    parameter: 'count_mode',
    choices: ['session_then_user', 'raw'],
    help: 'what event_count counts: visits, or with raw every event (default: session_then_user)',
  },
  { flags: '--order-by <name>', parameter: 'order_by', help: 'a selected metric, date or event' },
  { flags: '--order <way>', parameter: 'order', choices: ['asc', 'desc'], help: 'default: desc' },
  limit(100, 'rows'),
  { flags: '--email <address>', parameter: 'email', help: 'only events of the person with this address' },
  COMPARE,
  TZ,
  WHERE,
  SEGMENT,
  {
    flags: '--dry-run',
    parameter: 'dry_run',
    as: 'switch',
    help: 'runs nothing, and says what the read would cost',
  },
]

export const query = callCommand<'POST /query'>({
  name: 'query',
  group: 'Reports',
  args: [NAME],
  flags: FLAGS,
  summary: 'Any metrics by any group, over filtered events',
  example: '--demo query demo --metrics event_count,unique_users --group-by event --days 30',
  call(input) {
    const { days: back, filter } = input.options
    const { date_from, ...fields } = parametersOf(FLAGS, input)
    return {
      endpoint: 'POST /query',
      body: {
        project: input.args.NAME,
        ...fields,
        date_from: date_from ?? (back === undefined || fields.since !== undefined ? undefined : `${back}d`),
        filters: filter === undefined ? undefined : parsedFilters(filter as string[], 'field'),
      },
    }
  },
  print: answer =>
    besideCompared(answer, each => [
      reportHeading(each.project, each.period),
      ...rowTables(each),
      ...currencyTables(each),
      line(each.count === 1 ? '1 row' : `${each.count} rows`),
    ]),
})

type Answer = {
  group_by: string[]
  metrics: string[]
  rows: Row[]
  by_currency?: Row[] | undefined
  count_mode?: string
}

/** The metrics of money for each currency, where there are several. */
function currencyTables({ group_by, metrics, by_currency }: Answer): TableBlock[] {
  if (by_currency === undefined) return []
  const [first = {}] = by_currency
  const columns = [...group_by, 'currency', ...metrics].filter(key => key in first)
  return [
    {
      ...{ kind: 'table', name: 'by_currency', title: 'By currency', rows: by_currency },
      columns: columns.map(key => ({ key, title: key, as: group_by.includes(key) ? 'text' : formatOf(key) })),
    },
  ]
}

/**
 * The table of rows. The last row may hold all groups that are not shown. Its group columns are null, like
 * those of events without the property. To tell them apart, CSV has the column `other`, and the terminal
 * shows `(other)`.
 */
function rowTables({ group_by, metrics, rows, count_mode }: Answer): TableBlock[] {
  // An older service does not send `count_mode`.
  const counted = count_mode === undefined ? '' : count_mode === 'raw' ? ' (events)' : ' (visits)'
  const columns: Column[] = [
    ...group_by.map(key => ({ key, title: key })),
    ...metrics.map(key => ({
      key,
      title: key === 'event_count' ? `event_count${counted}` : key,
      as: formatOf(key),
    })),
  ]
  const table = { kind: 'table', name: 'rows', columns, rows } as const
  if (!rows.some(isRest)) return [table]
  const rest = Object.fromEntries(group_by.map(key => [key, '(other)']))
  return [
    { ...table, columns: [...columns, { key: 'other', title: 'other' }], csvOnly: true },
    { ...table, rows: rows.map(row => (isRest(row) ? { ...row, ...rest } : row)), terminalOnly: true },
  ]
}

function isRest(row: Row): boolean {
  return row.other === true
}

function formatOf(metric: string): Format {
  if (metric === 'bounce_rate' || metric === 'single_page_rate') return 'rate'
  return metric === 'avg_duration' ? 'duration' : 'number'
}
