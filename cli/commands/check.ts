import { callCommand, NAME } from '#cli/command'

export const check = callCommand<'GET /projects/{id}'>({
  name: 'check',
  group: 'Projects',
  args: [NAME],
  flags: [],
  summary: 'Whether events arrive, what was not stored in the last week and why, and what to change',
  example: '--demo check demo',
  call: ({ args }) => ({ endpoint: 'GET /projects/{id}', path: { id: args.NAME as string } }),
  print: ({ refused, ...project }) => [
    {
      kind: 'facts',
      facts: [
        ['Origins', project.allowed_origins],
        ['Events today', project.usage_today.event_count, 'count'],
        [
          'Last event (UTC)',
          project.last_event_at === null ? null : Date.parse(project.last_event_at),
          'time',
        ],
      ],
    },
    {
      kind: 'table',
      name: 'refused',
      title: 'not stored in the last seven days',
      columns: [
        { key: 'reason', title: 'Reason' },
        { key: 'events', title: 'Events', as: 'count' },
        { key: 'at', title: 'Last seen (UTC)', as: 'time' },
        { key: 'last', title: 'The last one' },
      ],
      none: 'Nothing was refused.',
      rows: refused.events.map(each => ({ ...each, at: Date.parse(each.last_at) })),
    },
    ...refused.events.map(({ reason, fix }) => ({ kind: 'advice', text: `${reason}: ${fix}` }) as const),
  ],
})
