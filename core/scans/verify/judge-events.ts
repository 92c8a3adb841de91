import { nearestName } from '#core/text/nearest-name'
import type { Recommendation, VerifiedEvent } from '#schemas/website-scans'
import type { Received, ReceivedEvent } from './received.ts'

/** Part of the page views that an event may follow at once before it looks automatic. */
const MAX_SHARE_OF_PAGE_VIEWS = 0.8
/** Fewer page views say nothing about that. */
const MIN_PAGE_VIEWS = 20
/** Part of the events that may repeat within a second. */
const MAX_SHARE_OF_REPEATS = 0.1
const MIN_REPEATS = 2
/** Part of the events that has a property that is there. */
const MIN_SHARE_WITH_PROPERTY = 0.5
/** From so many events on, one that no report names is worth a word. */
const MIN_COUNT_TO_USE = 100

type Planned = Pick<Recommendation, 'event' | 'properties'>

/**
 * Says for each event of a plan whether it has arrived and what looks wrong. Pure: `received` counts what is
 * stored since the analysis.
 */
export function judgeEvents(plan: readonly Planned[], { page_views, events }: Received): VerifiedEvent[] {
  const byName = new Map(events.map(each => [each.event, each]))
  const planned = new Set(plan.map(({ event }) => event))
  const strangers = events.filter(
    ({ event }) => !planned.has(event) && !event.startsWith('$') && event !== 'page_view',
  )
  return plan.map(({ event, properties }) => {
    const own = byName.get(event)
    const others = otherNames(event, strangers)
    if (own === undefined || own.count === 0) {
      return {
        event,
        arrived: false,
        count: 0,
        last_seen_at: null,
        missing_properties: [],
        warnings: others.map(
          other =>
            `${JSON.stringify(other.event)} has arrived ${other.count} times and looks like this event. Use the name ${event}, or change the plan.`,
        ),
      }
    }
    const missing = properties.filter(
      ({ name }) => (own.properties[name] ?? 0) < MIN_SHARE_WITH_PROPERTY * own.count,
    )
    return {
      event,
      arrived: true,
      count: own.count,
      last_seen_at: own.last_seen_at,
      missing_properties: missing.map(({ name }) => name),
      warnings: [
        ...warningsOf(own, page_views),
        ...others.map(
          other =>
            `It also arrives as ${JSON.stringify(other.event)} (${other.count} times): reports count two events. Use ${event} everywhere.`,
        ),
      ],
    }
  })
}

function warningsOf(
  { event, count, after_page_view, repeats, is_used }: ReceivedEvent,
  pageViews: number,
): string[] {
  const isAutomatic = pageViews >= MIN_PAGE_VIEWS && after_page_view >= MAX_SHARE_OF_PAGE_VIEWS * pageViews
  const isDoubled = repeats >= MIN_REPEATS && repeats > MAX_SHARE_OF_REPEATS * count
  return [
    ...(isAutomatic
      ? [
          `It follows ${Math.round((100 * after_page_view) / pageViews)} of 100 page views at once, so it says no more than page_view. Send it when a visitor acts.`,
        ]
      : []),
    ...(isDoubled
      ? [
          `${repeats} of ${count} events follow another ${event} of the same session within a second. Look for a second listener or a nested data-aa-event.`,
        ]
      : []),
    ...(is_used === false && count >= MIN_COUNT_TO_USE
      ? [`No report, experiment or context has named ${event} so far. Use it, or remove it from the pages.`]
      : []),
  ]
}

/** Names that are the planned one in another form: `signupStarted`, `sign-up-started`, `signup_start`. */
function otherNames(event: string, strangers: readonly ReceivedEvent[]): ReceivedEvent[] {
  const plain = plainName(event)
  return strangers.filter(({ event: other }) => {
    if (plainName(other) === plain) return true
    const near = nearestName(event, [other])
    // A part of a name is another event: signup_started and signup_started_again.
    return near !== null && Math.abs(other.length - event.length) <= 2
  })
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
