import { COMPARE, days, limit, projectRead, QUESTION } from '#cli/command'
import { besideCompared } from '#cli/print/compared'
import { reportHeading } from '#cli/print/periods'

export const conversion = projectRead<'GET /conversion'>({
  name: 'conversion',
  endpoint: 'GET /conversion',
  summary: 'The part of people who did something, by country, source, entry page or a property',
  flags: [
    { flags: '--goal <event>', parameter: 'goal', required: true, help: 'people convert with this event' },
    {
      flags: '--by <key>',
      parameter: 'by',
      required: true,
      help: 'country, source, first_source, entry_page, a property key, or traits.plan',
    },
    { flags: '--from <event>', parameter: 'from', help: 'only people with this event before the goal' },
    {
      flags: '--min-users <n>',
      parameter: 'min_users',
      as: 'whole',
      help: 'smaller groups count as other (default: 1)',
    },
    limit(20, 'groups'),
    days(),
    ...QUESTION,
    COMPARE,
  ],
  example: '--demo conversion demo --goal signup --by country',
  print: compared =>
    besideCompared(compared, answer => [
      reportHeading(`${answer.project}, ${answer.goal} by ${answer.by}`, answer.period),
      {
        kind: 'facts',
        facts: [
          ['Visitors', answer.users, 'count'],
          ['Converted', answer.converted, 'count'],
          ['Rate', answer.rate, 'rate'],
        ],
      },
      {
        kind: 'table',
        name: 'values',
        columns: [
          { key: 'value', title: 'Value' },
          { key: 'users', title: 'Visitors', as: 'count' },
          { key: 'converted', title: 'Converted', as: 'count' },
          { key: 'rate', title: 'Rate', as: 'rate' },
        ],
        rows: [
          ...answer.values,
          ...(answer.other === undefined ? [] : [{ value: '(other)', ...answer.other }]),
          ...(answer.missing === undefined ? [] : [{ value: '(missing)', ...answer.missing }]),
        ],
      },
    ]),
})
