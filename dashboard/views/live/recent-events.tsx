import { countryName, dateOf, formatted, momentLabel, timeLabel } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { PersonLink } from '#dashboard/parts/person-link.tsx'
import { Empty } from '#dashboard/parts/states.tsx'
import { type EventRow, gistOf, PropertyList } from '#dashboard/parts/timeline.tsx'
import { today, zoneOf } from '#dashboard/range'
import { eventLabel } from '#dashboard/texts'
import { type Address, DEFAULTS } from '#dashboard/url'
import { MAX_EVENTS } from './use-follow.ts'

type Props = { address: Address; events: readonly EventRow[] }

/** Events as they arrive, newest first, with what each says. */
export function RecentEvents({ address, events }: Props) {
  return (
    <Panel title="Newest events">
      {events.length === 0 ? (
        <Empty title="Nothing happens now">
          Events stand here as soon as they arrive. <a href={todayOf(address)}>What happened today</a>
        </Empty>
      ) : (
        <ol class="arrivals" aria-label="Newest events">
          {events.map(each => (
            <Arrival key={each.id} address={address} row={each} />
          ))}
        </ol>
      )}
      {events.length >= MAX_EVENTS && <p class="cut">The newest {formatted(MAX_EVENTS)}.</p>}
    </Panel>
  )
}

/** The time of day; of an event of another date, which has just arrived, also the date. */
function atLabel(at: number, zone: string): string {
  return dateOf(at, zone) === today(zone) ? timeLabel(at, zone, 'long') : momentLabel(at, zone)
}

function todayOf(address: Address): string {
  return hrefTo({ ...address, view: 'events', range: { label: '1d' }, own: DEFAULTS.own })
}

function Arrival({ address, row }: { address: Address; row: EventRow }) {
  const { event, timestamp, country, user_id, session_id } = row
  const sessionHref = hrefTo({
    ...{ ...address, view: 'sessions', range: { label: '1d' } as const, filters: [] },
    own: { session: [String(session_id)] },
  })
  return (
    <li>
      <details>
        <summary>
          <time>{atLabel(timestamp, zoneOf(address))}</time>
          <span class="what">
            <strong>{eventLabel(event)}</strong>
            <span>{gistOf(row)}</span>
          </span>
          <span class="from">{country === null ? '' : countryName(country)}</span>
        </summary>
        <PropertyList row={row} />
        <p class="to">
          {session_id !== null && <a href={sessionHref}>The session</a>}
          {user_id !== null && (
            <span>
              Visitor <PersonLink address={address} id={user_id} />
            </span>
          )}
        </p>
      </details>
    </li>
  )
}
