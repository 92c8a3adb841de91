import { dateLabel, dateOf, duration, timeLabel } from '#dashboard/format'

import { eventLabel, fieldLabel, pathLabel, visible } from '#dashboard/texts'

/** An event as GET /events and POST /journey list it. */
export type EventRow = {
  id: string
  event: string
  properties: Record<string, unknown> | null
  user_id: string | null
  session_id: string | null
  timestamp: number
  country: string | null
}

type Props = {
  name: string
  /** Oldest first. */
  events: readonly EventRow[]
  zone: string
  /** Where the session of an event is shown; absent: all are of one. */
  sessionHref?(id: string): string
}

/** A shorter time between two events is not worth a line, ms. */
const PAUSE_MS = 60_000

/** Events in their order, with what each says. A new day, a new session and a long pause have a line. */
export function Timeline({ name, events, zone, sessionHref }: Props) {
  return (
    <ol class="timeline" aria-label={name}>
      {events.map((each, i) => {
        const before = events[i - 1]
        const isNewDay =
          before !== undefined && dateOf(before.timestamp, zone) !== dateOf(each.timestamp, zone)
        const isNewSession = sessionHref !== undefined && before?.session_id !== each.session_id
        const pause = before === undefined ? 0 : each.timestamp - before.timestamp
        return (
          <li
            key={each.id}
            class={each.event === 'page_view' ? 'view' : each.event.startsWith('$') ? 'auto' : 'act'}
          >
            {(isNewDay || (i === 0 && sessionHref !== undefined)) && (
              <p class="day">{dateLabel(dateOf(each.timestamp, zone), 'long')}</p>
            )}
            {isNewSession && each.session_id !== null && (
              <p class="break">
                <a href={sessionHref(each.session_id)}>Session {shortId(each.session_id)}</a>
              </p>
            )}
            {!isNewDay && !isNewSession && pause >= PAUSE_MS && <p class="break">{duration(pause)} later</p>}
            <details>
              <summary>
                <time>{timeLabel(each.timestamp, zone, 'long')}</time>
                <span class="what">
                  <strong>{eventLabel(each.event)}</strong>
                  <span>{gistOf(each)}</span>
                </span>
              </summary>
              <PropertyList row={each} />
            </details>
          </li>
        )
      })}
    </ol>
  )
}

/** Everything that an event says, as text. */
export function PropertyList({ row: { properties, user_id, session_id, country } }: { row: EventRow }) {
  const rows: [string, unknown][] = [
    ...Object.entries(properties ?? {}),
    ['user_id', user_id],
    ['session_id', session_id],
    ['country', country],
  ]
  return (
    <dl class="properties">
      {rows
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([key, value], i) => (
          // A property may have the name of a field.
          <div key={`${i} ${key}`}>
            <dt>{fieldLabel(key)}</dt>
            <dd>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</dd>
          </div>
        ))}
    </dl>
  )
}

/** The properties that say most of an event. */
const TELLING = ['path', 'label', 'name', 'plan', 'value', 'experiment', 'variant', 'message']

/** What an event says, in a line. */
export function gistOf({ properties }: EventRow): string {
  const parts = TELLING.flatMap(key => {
    const value = properties?.[key]
    if (value === undefined || value === null || typeof value === 'object') return []
    return [key === 'path' ? pathLabel(String(value)) : visible(`${key} ${value}`)]
  })
  return parts.slice(0, 3).join(' · ')
}

/** An id where there is little room. */
export function shortId(id: string): string {
  return id.length <= 20 ? id : `${id.slice(0, 12)}…${id.slice(-4)}`
}
