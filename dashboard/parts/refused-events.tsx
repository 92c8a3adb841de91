import type { Answer } from '#dashboard/api'
import { agoLabel, formatted } from '#dashboard/format'
import { AllowOrigin } from './allow-origin.tsx'

type Project = Pick<Answer<'GET /projects/{id}'>, 'id' | 'allowed_origins' | 'refused'>

const REASONS: Record<Project['refused']['events'][number]['reason'], string> = {
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
export function RefusedEvents({ project }: { project: Project }) {
  const { events: refused } = project.refused
  if (refused.length === 0) return null
  return (
    <dl class="properties refused" aria-label="Events that were not stored">
      {refused.map(({ reason, events, last, last_at, fix }) => (
        <div key={reason}>
          <dt>{REASONS[reason]}</dt>
          <dd>
            {formatted(events)} in seven days, the newest {agoLabel(Date.parse(last_at))}
            {last !== null && `: ${last}`}. <small>{fix}</small>
            {reason === 'origin' && last !== null && <AllowOrigin project={project} origin={last} />}
          </dd>
        </div>
      ))}
    </dl>
  )
}
