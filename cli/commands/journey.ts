import { callCommand, type Flag, limit, NAME, parametersOf, QUESTION } from '#cli/command'
import { usage } from '#cli/errors'
import { reportHeading } from '#cli/print/periods'
import { nextPage, PERSON } from './events.ts'

const FLAGS: readonly Flag[] = [
  ...PERSON,
  ...QUESTION,
  limit(100, 'events'),
  {
    flags: '--order <way>',
    parameter: 'order',
    choices: ['asc', 'desc'],
    help: 'asc: the oldest events (default: the newest ones, oldest first)',
  },
  {
    flags: '--before <cursor>',
    parameter: 'before',
    help: 'older events: the cursor that the last line named',
  },
]

export const journey = callCommand<'POST /journey'>({
  name: 'journey',
  group: 'Reports',
  args: [NAME],
  flags: FLAGS,
  summary: 'The timeline of one person, oldest first',
  example: '--demo journey demo --user-id anon_f91pfbujtju2gf97 --limit 20',
  call(input) {
    if (input.options.userId === undefined && input.options.email === undefined) {
      throw usage('Nobody is named.', 'Name one person: --user-id <id> or --email <address>')
    }
    return { endpoint: 'POST /journey', body: { project: input.args.NAME, ...parametersOf(FLAGS, input) } }
  },
  print: answer => [
    reportHeading(answer.project, answer.period),
    {
      kind: 'facts',
      facts: [
        ['Matched ids', answer.profiles.map(({ user_id }) => user_id).join(', ') || 'nobody'],
        ['Events', answer.count, 'count'],
      ],
    },
    {
      kind: 'table',
      name: 'events',
      columns: [
        { key: 'timestamp', title: 'Time (UTC)', as: 'time' },
        { key: 'event', title: 'Event' },
        { key: 'page', title: 'Page' },
        { key: 'referrer', title: 'Referrer' },
        { key: 'session_id', title: 'Session' },
      ],
      rows: answer.events.map(row => {
        const properties = (row as { properties?: Record<string, unknown> | null }).properties ?? {}
        return { ...row, page: properties.path ?? properties.url, referrer: properties.referrer }
      }),
    },
    ...nextPage(answer.next_before),
  ],
})
