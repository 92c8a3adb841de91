import { days, projectRead, QUESTION } from '#cli/command'
import { reportHeading } from '#cli/print/periods'
import { isTrackerProperty } from '#schemas/columns'

export const properties = projectRead<'GET /properties'>({
  name: 'properties',
  endpoint: 'GET /properties',
  summary: 'Names of events with counts and dates, and all property keys',
  flags: [{ ...days(30), preset: 30 }, ...QUESTION],
  example: '--demo properties demo',
  cut: 'Property keys are those of the newest 5,000 events of the range, and each list has at most 1,000 names.',
  print: answer => [
    reportHeading(answer.project, answer.period),
    {
      kind: 'table',
      name: 'events',
      columns: [
        { key: 'event', title: 'Event' },
        { key: 'count', title: 'Count', as: 'count' },
        { key: 'unique_users', title: 'Visitors', as: 'count' },
        { key: 'last_seen', title: 'Last seen' },
        { key: 'first_seen', title: 'First seen' },
      ],
      rows: answer.events,
    },
    {
      kind: 'table',
      name: 'keys',
      columns: [{ key: 'key', title: 'Property key' }],
      rows: answer.property_keys.map(key => ({ key })),
    },
  ],
})

export const propertiesReceived = projectRead<'GET /properties/received'>({
  name: 'properties-received',
  endpoint: 'GET /properties/received',
  summary: 'Which property keys came with which events',
  flags: [
    days(7),
    ...QUESTION,
    {
      flags: '--sample <n>',
      parameter: 'sample',
      as: 'whole',
      help: 'how many of the newest events are looked at (default: 5000)',
    },
  ],
  example: '--demo properties-received demo',
  cut: 'Older events of the range were not looked at: a larger --sample, up to 10000, looks at more.',
  print(answer) {
    const keys = new Map<string, string[]>()
    for (const { event, key } of answer.properties) keys.set(event, [...(keys.get(event) ?? []), key])
    const added = new Set(answer.properties.map(({ key }) => key).filter(isTrackerProperty))
    return [
      reportHeading(answer.project, answer.period),
      {
        kind: 'facts',
        facts: [
          ['Events looked at', answer.sample_size, 'count'],
          ['Added by the tracker', [...added].join(', ')],
        ],
      },
      {
        kind: 'table',
        name: 'properties',
        columns: [
          { key: 'event', title: 'Event' },
          { key: 'keys', title: 'Keys' },
        ],
        rows: [...keys].map(([event, names]) => ({ event, keys: names.join(', ') })),
        csvOnly: true,
      },
      {
        kind: 'facts',
        facts: [...keys].map(
          ([event, names]) => [event, names.filter(name => !isTrackerProperty(name)).join(', ')] as const,
        ),
      },
    ]
  },
})
