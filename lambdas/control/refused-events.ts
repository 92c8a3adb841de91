import { isAllowedOrigin } from '#core/projects/origins'
import type { Project } from '#core/projects/project'
import type { RefusedByHour } from '#core/usage/refusal-store'
import { EVENT_LIMITS } from '#schemas/event'
import type { RefusalReason, RefusedEvents } from '#schemas/refusals'

type Told = Pick<Project, 'allowed_origins'>

/** What to change so that such events are stored. `last`: what the newest of them says about the reason. */
const FIXES: Record<RefusalReason, (last: string | null, project: Told) => string> = {
  origin: fixOrigin,
  time: () =>
    'Send `age`, how many milliseconds ago it happened, in the place of `timestamp`; or set the clock of the sender. Events of more than 30 days ago are not stored.',
  size: () =>
    `Send \`properties\` as an object of at most ${EVENT_LIMITS.propertiesBytes} bytes as JSON, and at most ${EVENT_LIMITS.batchEvents} events in a request.`,
  name: () =>
    `Send \`event\` as a text of 1 to ${EVENT_LIMITS.nameChars} characters, and ids as texts of at most ${EVENT_LIMITS.idChars}.`,
  token: () => 'Send one batch for each project: all events of a batch have the same token.',
  credential: () =>
    'Give the server a valid API key of the account that owns the project, or send no credential.',
  bot: () =>
    'Nothing, if these are crawlers. A server that is yours sends an API key of the account in the header X-API-Key.',
  limit: () => 'Send several events in one request to /track/batch, and try again after Retry-After seconds.',
}

function fixOrigin(last: string | null, project: Told): string {
  if (last === null)
    return 'Pages without an origin, such as files and sandboxed frames, are stored only where `allowed_origins` is `*`.'
  if (isAllowedOrigin(project, last)) return `Nothing more: ${last} is in allowed_origins now.`
  return `If pages of it are yours, add ${last} to allowed_origins: ${project.allowed_origins},${last}`
}

/** The stored counts of a reason as GET /projects/{id} shows them, with what to change. */
export function refusedEventsOf(
  { reason, events, at, last, hours }: RefusedByHour,
  project: Told,
): RefusedEvents {
  return {
    reason,
    events,
    last,
    last_at: new Date(at).toISOString(),
    fix: FIXES[reason](last, project),
    hours: hours.map(([start, count]) => ({ hour: new Date(start).toISOString(), events: count })),
  }
}
