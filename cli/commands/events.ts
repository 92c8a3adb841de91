import { callCommand, days, type Flag, limit, NAME, parametersOf, QUESTION } from '#cli/command'
import { advice, type Block } from '#cli/print/blocks'
import { reportHeading } from '#cli/print/periods'

/** Who the events are of. */
export const PERSON: readonly Flag[] = [
  { flags: '--user-id <id>', parameter: 'user_id', help: 'only of this person, by any of their ids' },
  {
    flags: '--email <address>',
    parameter: 'email',
    help: 'only of the person who was identified with this address',
  },
]

const FLAGS: readonly Flag[] = [
  { flags: '--event <name>', parameter: 'event', help: 'only events of this name' },
  days(7),
  ...QUESTION,
  limit(100, 'events'),
  ...PERSON,
  { flags: '--session-id <id>', parameter: 'session_id', help: 'only of this session' },
  {
    flags: '--before <cursor>',
    parameter: 'before',
    help: 'older events: the cursor that the last line named',
  },
]

export const events = callCommand<'POST /events'>({
  name: 'events',
  group: 'Reports',
  args: [NAME],
  flags: FLAGS,
  summary: 'Stored events, newest first',
  example: '--demo events demo --event signup --limit 10',
  call: input => ({
    endpoint: 'POST /events',
    body: { project: input.args.NAME, ...parametersOf(FLAGS, input) },
  }),
  print: answer => [
    reportHeading(answer.project, answer.period),
    {
      kind: 'table',
      name: 'events',
      columns: [
        { key: 'timestamp', title: 'Time (UTC)', as: 'time' },
        { key: 'event', title: 'Event' },
        { key: 'user_id', title: 'User' },
        { key: 'page', title: 'Page' },
        { key: 'properties', title: 'Properties', as: 'own' },
        { key: 'country', title: 'Country' },
      ],
      rows: answer.events.map(row => {
        const { properties } = row as { properties?: Record<string, unknown> | null }
        return { ...row, page: properties?.path ?? properties?.url }
      }),
      none: 'No event in this time.',
    },
    ...nextPage(answer.next_before),
  ],
})

/**
 * How to go on, when a limit has cut the list. A cursor is printed as it is, so it must have the form of one.
 */
export function nextPage(cursor: string | null): Block[] {
  return isCursor(cursor) ? [advice(`There are more: --before ${cursor}`)] : []
}

function isCursor(text: string | null): text is string {
  return text !== null && /^[\w=.-]{1,300}$/.test(text)
}
