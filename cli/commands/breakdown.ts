import { COMPARE, days, limit, projectRead, QUESTION } from '#cli/command'
import { line } from '#cli/print/blocks'
import { besideCompared } from '#cli/print/compared'
import { reportHeading } from '#cli/print/periods'

export const breakdown = projectRead<'GET /breakdown'>({
  name: 'breakdown',
  endpoint: 'GET /breakdown',
  summary: 'Events and visitors by the value of a property',
  flags: [
    { flags: '--property <key>', parameter: 'property', required: true, help: 'a property key, or country' },
    { flags: '--event <name>', parameter: 'event', help: 'only events of this name' },
    days(7),
    ...QUESTION,
    COMPARE,
    limit(20, 'values'),
  ],
  example: '--demo breakdown demo --property path',
  print: compared =>
    besideCompared(compared, answer => [
      reportHeading(`${answer.project}, ${answer.property}`, answer.period),
      {
        kind: 'table',
        name: 'values',
        columns: [
          { key: 'value', title: 'Value' },
          { key: 'count', title: 'Events', as: 'count' },
          { key: 'unique_users', title: 'Visitors', as: 'count' },
        ],
        rows: answer.values,
      },
      line(`${answer.total_with_property} of ${answer.total_events} events have ${answer.property}.`),
    ]),
})
