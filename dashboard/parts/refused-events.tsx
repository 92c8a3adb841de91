import type { Answer } from '#dashboard/api'
import { agoLabel, formatted } from '#dashboard/format'

type Refused = Answer<'GET /projects/{id}'>['refused']['events']

const REASONS: Record<Refused[number]['reason'], string> = {
  origin: 'Origin is not allowed',
  time: 'Time out of bounds',
  size: 'Too large',
  name: 'Name or id is wrong',
  token: 'Tokens of two projects',
  credential: 'Wrong credential of a server',
  bot: 'Bots',
  limit: 'Over a limit',
}

/** Why events were not stored, and what to change. Nothing where none was refused. */
export function RefusedEvents({ refused }: { refused: Refused }) {
  if (refused.length === 0) return null
  return (
    <dl class="properties" aria-label="Events that were not stored">
      {refused.map(({ reason, events, last, last_at, fix }) => (
        <div key={reason}>
          <dt>{REASONS[reason]}</dt>
          <dd>
            {formatted(events)} in seven days, the newest {agoLabel(Date.parse(last_at))}
            {last !== null && `: ${last}`}. <small>{fix}</small>
          </dd>
        </div>
      ))}
    </dl>
  )
}
