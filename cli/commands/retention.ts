import { projectRead, QUESTION } from '#cli/command'
import { peopleTable } from '#cli/print/people-table'
import { reportHeading } from '#cli/print/periods'

export const retention = projectRead<'GET /retention'>({
  name: 'retention',
  endpoint: 'GET /retention',
  summary: 'How many people of each cohort came back',
  flags: [
    {
      flags: '--period <length>',
      parameter: 'period',
      choices: ['day', 'week', 'month'],
      help: 'length of a cohort (default: week)',
    },
    {
      flags: '--cohorts <n>',
      parameter: 'cohorts',
      as: 'whole',
      help: 'how many, the current one included (default: 8)',
    },
    {
      flags: '--event <name>',
      parameter: 'event',
      help: 'people join the cohort of their first such event (default: first session)',
    },
    { flags: '--returning-event <name>', parameter: 'returning_event', help: 'what counts as coming back' },
    {
      flags: '--people-of <date>',
      parameter: 'people_of_cohort',
      help: 'who is in the cohort of this date',
    },
    {
      flags: '--people-offset <n>',
      parameter: 'people_of_offset',
      as: 'whole',
      help: 'with --people-of: who came back so many periods after',
    },
    {
      flags: '--people-dropped',
      parameter: 'people_dropped',
      as: 'switch',
      help: 'with --people-offset: who did not come back',
    },
    ...QUESTION,
    {
      flags: '--dry-run',
      parameter: 'dry_run',
      as: 'switch',
      help: 'runs nothing, and says what the read would cost',
    },
  ],
  example: '--demo retention demo --period week',
  print(answer) {
    const longest = Math.max(0, ...answer.cohorts.map(({ rates }) => rates.length))
    const columns = Array.from({ length: longest }, (_, i) => String(i))
    const padded = (rates: readonly number[]) => columns.map((_, i) => rates[i] ?? null)
    return [
      reportHeading(`${answer.project}, ${answer.period} by ${answer.period}`, answer.range),
      {
        kind: 'grid',
        name: 'cohorts',
        corner: 'Cohort (visitors)',
        columns,
        rows: [
          ...answer.cohorts.map(({ date, users, rates }) => ({
            label: `${date} (${users})`,
            cells: padded(rates),
          })),
          ...(longest === 0 ? [] : [{ label: 'Average', cells: padded(answer.average_rates) }]),
        ],
        cells: 'rate',
      },
      { kind: 'facts', facts: [['Users', answer.users_analyzed, 'count']] },
      ...(answer.people === undefined ? [] : [peopleTable(answer.people, 'At')]),
    ]
  },
})
