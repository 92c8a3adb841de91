import { COMPARE, days, limit, projectRead, QUESTION } from '#cli/command'
import type { TableBlock } from '#cli/print/blocks'
import { besideCompared } from '#cli/print/compared'
import { reportHeading } from '#cli/print/periods'
import { sumsByCurrency } from '#schemas/sources'

export const sources = projectRead<'GET /sources'>({
  name: 'sources',
  endpoint: 'GET /sources',
  summary: 'Where visits came from: by channel, source, referrer, campaign, content or landing page',
  flags: [
    {
      flags: '--by <what>',
      parameter: 'by',
      help: 'channel (default), source, referrer, campaign, content or landing_page',
    },
    { flags: '--goal <event>', parameter: 'goal', help: 'a visit converts with this event; adds its values' },
    { flags: '--currency <code>', parameter: 'currency', help: 'add the values of this currency alone' },
    limit(50, 'rows'),
    days(),
    ...QUESTION,
    COMPARE,
  ],
  example: '--demo sources demo --by source --goal signup',
  print: answer =>
    besideCompared(answer, ({ project, by, period, goal, total, rows, other }) => [
      reportHeading(`${project}, visits by ${by}`, period),
      {
        kind: 'table',
        name: 'rows',
        columns: [
          { key: 'value', title: TITLES[by] },
          { key: 'sessions', title: 'Sessions', as: 'count' },
          { key: 'people', title: 'Visitors', as: 'count' },
          { key: 'bounce_rate', title: 'Bounce rate', as: 'rate' },
          { key: 'avg_pages', title: 'Pages' },
          ...(goal === null
            ? []
            : ([
                { key: 'conversions', title: 'Converted', as: 'count' },
                { key: 'conversion_rate', title: 'Rate', as: 'rate' },
                { key: 'sum_value', title: 'Sum of value' },
              ] as const)),
        ],
        rows: [
          ...rows.map(row => ({ ...row, value: row.value ?? '(none)' })),
          ...(other === undefined ? [] : [{ ...other, value: `(${other.values} others)` }]),
          { ...total, value: '(all)' },
        ],
      },
      ...currencyTable(sumsByCurrency({ total, rows }), TITLES[by]),
    ]),
})

const TITLES = {
  channel: 'Channel',
  source: 'Source',
  referrer: 'Referrer',
  campaign: 'Campaign',
  content: 'Content',
  landing_page: 'Landing page',
} as const

/** The sums of rows whose values have several currencies. */
function currencyTable(rows: ReturnType<typeof sumsByCurrency>, title: string): TableBlock[] {
  if (rows.length === 0) return []
  return [
    {
      ...{ kind: 'table', name: 'by_currency', title: 'By currency', rows },
      columns: [
        { key: 'value', title },
        { key: 'currency', title: 'Currency' },
        { key: 'sum_value', title: 'Sum of value' },
      ],
    },
  ]
}
