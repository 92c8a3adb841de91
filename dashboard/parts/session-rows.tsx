import type { Answer } from '#dashboard/api'
import { dateLabel, formatted, timeLabel } from '#dashboard/format'
import { zoneOf } from '#dashboard/range'
import { pathLabel, visible } from '#dashboard/texts'
import type { Address } from '#dashboard/url'
import type { SessionRow } from '#schemas/sessions'

type Props = {
  sessions: Answer<'GET /sessions'>['sessions']
  address: Address
  hrefOf(id: string): string
  chosen?: string | undefined
  /** Leaves the person out, where all are of one. */
  isOfOne?: boolean
}

/** Sessions by day. Each is a link. */
export function SessionRows({ sessions, address, hrefOf, chosen, isOfOne = false }: Props) {
  const zone = zoneOf(address)
  // All fields were asked for, so each row has them.
  const days = byDate(sessions as SessionRow[])
  return (
    <div class="days">
      {[...days].map(([date, rows]) => (
        <section key={date}>
          <h3>{dateLabel(date, 'long')}</h3>
          <ul class="session-rows" aria-label={`Sessions of ${dateLabel(date, 'long')}`}>
            {rows.map(row => (
              <li key={row.session_id}>
                <a
                  href={hrefOf(row.session_id)}
                  aria-current={row.session_id === chosen ? 'true' : undefined}
                  data-session={row.session_id}
                >
                  <time>{timeLabel(row.start_time, zone)}</time>
                  <span class="pages">
                    <span>{pagesOf(row)}</span>
                    <small>{noteOf(row, isOfOne)}</small>
                  </span>
                  <span class="amounts">
                    <span>{formatted(row.duration, 'duration')}</span>
                    <small>
                      {formatted(row.event_count)} {row.event_count === 1 ? 'event' : 'events'}
                    </small>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

function byDate(sessions: readonly SessionRow[]): Map<string, SessionRow[]> {
  const days = new Map<string, SessionRow[]>()
  for (const row of sessions) days.set(row.date, [...(days.get(row.date) ?? []), row])
  return days
}

function pagesOf({ entry_page, exit_page }: SessionRow): string {
  if (entry_page === null) return 'No page'
  const [entry, exit] = [pathLabel(entry_page), pathLabel(exit_page)]
  return exit_page === null || exit_page === entry_page ? entry : `${entry} → ${exit}`
}

function noteOf({ user_id, is_bounce, has_replay }: SessionRow, isOfOne: boolean): string {
  const parts = [
    isOfOne ? '' : user_id === null ? 'no visitor id' : visible(user_id),
    is_bounce === 1 ? 'no interaction' : '',
    has_replay ? '▶ replay' : '',
  ]
  return parts.filter(part => part !== '').join(' · ')
}
