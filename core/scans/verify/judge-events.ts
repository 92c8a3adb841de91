import { quoted } from '#core/text/clean-text'
import { nearestName } from '#core/text/nearest-name'
import type { Recommendation, VerifiedEvent } from '#schemas/website-scans'
import type { Received, ReceivedEvent } from './received.ts'

/** Part of the page views that an event may follow at once before it looks automatic. */
const MAX_SHARE_OF_PAGE_VIEWS = 0.8
/** Of fewer page views all must have the event: some visitors act at once. */
const MIN_PAGE_VIEWS = 20
/** One event says nothing about how it is sent. */
const MIN_COUNT = 2
/** Part of the events that may repeat within a second. */
const MAX_SHARE_OF_REPEATS = 0.1
/** Part of the events that has a property that is there. */
const MIN_SHARE_WITH_PROPERTY = 0.5
/** From so many events on, one that no report names is worth a word. */
const MIN_COUNT_TO_USE = 100

type Planned = Pick<Recommendation, 'event' | 'properties' | 'placement'>

/** Events that the project did not store, and what to change so that it does. */
export type RefusedSince = { reason: string; events: number; last: string | null; fix: string }

/** What beside the stored events says why one has not arrived, and where the site has its code. */
export type VerifyContext = {
  refused: readonly RefusedSince[]
  /** Where the sources of pages are. */
  pages: string
  /** Where the code of the server is. */
  server: string
}

/**
 * Says for each event of a plan whether it has arrived, what looks wrong, and what to change first (U131).
 * Pure: `received` counts what is stored since the analysis.
 */
export function judgeEvents(
  plan: readonly Planned[],
  { page_views, events }: Received,
  context: VerifyContext,
): VerifiedEvent[] {
  const byName = new Map(events.map(each => [each.event, each]))
  const planned = new Set(plan.map(({ event }) => event))
  const strangers = events.filter(
    ({ event }) => !planned.has(event) && !event.startsWith('$') && event !== 'page_view',
  )
  return plan.map(item => {
    const { event, properties } = item
    const own = byName.get(event)
    const others = otherNames(event, strangers)
    if (own === undefined || own.count === 0) {
      const faults = [...others.map(other => otherName(event, other)), ...context.refused.map(refusal)]
      return {
        ...{ event, arrived: false, count: 0, last_seen_at: null, from: [], missing_properties: [] },
        warnings: faults.map(({ warning }) => warning),
        fix: fixOf(item, context, faults.find(({ change }) => change !== null) ?? { change: install(item) }),
      }
    }
    const missing = properties.filter(
      ({ name }) => (own.properties[name] ?? 0) < MIN_SHARE_WITH_PROPERTY * own.count,
    )
    const faults = [...faultsOf(own, page_views), ...others.map(other => secondName(event, other))]
    const incomplete = missing.length === 0 ? [] : [{ change: completion(item, missing) }]
    const first = [...faults, ...incomplete].find(({ change }) => change !== null)
    return {
      ...{ event, arrived: true, count: own.count, last_seen_at: own.last_seen_at, from: [...own.from] },
      missing_properties: missing.map(({ name }) => name),
      warnings: faults.map(({ warning }) => warning),
      fix: first === undefined ? null : fixOf(item, context, first),
    }
  })
}

/**
 * What looks wrong, and what to change; null: nothing that is known. `isSetting`: a setting of the project.
 */
type Fault = { warning: string; change: string | null; isSetting?: boolean }

function fixOf(
  { placement: { page, method } }: Planned,
  { pages, server }: VerifyContext,
  { change, isSetting = false }: Omit<Fault, 'warning'>,
): VerifiedEvent['fix'] {
  if (change === null) return null
  if (isSetting) return { file_hint: 'no file: the settings of the project', change }
  const source = page === null ? pages : `the source of ${quoted(page)} in ${pages}`
  return { file_hint: method === 'server' ? server : source, change }
}

function install({ placement: { selector, method, code } }: Planned): string {
  if (method === 'server') return `Send ${code}`
  if (selector === null) return `Call ${code}`
  return method === 'attribute'
    ? `Add ${code} to the element ${JSON.stringify(selector)}`
    : `Call ${code} for the element ${JSON.stringify(selector)}`
}

function completion({ placement: { selector, method } }: Planned, missing: Planned['properties']): string {
  const names = missing.map(({ name }) => name).join(', ')
  if (method !== 'attribute') return `Send the properties ${names} with the event.`
  const attributes = missing.map(({ name, example }) => `data-aa-event-${name}=${quoted(example)}`).join(' ')
  return `Add ${attributes} to the element ${JSON.stringify(selector)} and to each other one that sends it, with its own values.`
}

function otherName(event: string, { event: other, count }: ReceivedEvent): Fault {
  return {
    warning: `${JSON.stringify(other)} has arrived ${count} times and looks like this event. Use the name ${event}, or change the plan.`,
    change: `Rename ${JSON.stringify(other)} to ${event}.`,
  }
}

function secondName(event: string, { event: other, count }: ReceivedEvent): Fault {
  return {
    warning: `It also arrives as ${JSON.stringify(other)} (${count} times): reports count two events. Use ${event} everywhere.`,
    change: `Rename ${JSON.stringify(other)} to ${event}.`,
  }
}

/** Refused events have no names, so each event that has not arrived may be among them. */
function refusal({ reason, events, last, fix }: RefusedSince): Fault {
  const what = last === null ? reason : `${reason}: ${quoted(last)}`
  return {
    warning:
      reason === 'bot'
        ? `${events} events of robots alone were not stored (${what}), and this event may be one of them. Try it in a browser that a person uses.`
        : `${events} events were refused (${what}), and this event may be one of them. ${fix}`,
    // Crawlers come to every site, so they are seldom why an event is missing.
    change: reason === 'bot' ? null : fix,
    isSetting: true,
  }
}

function faultsOf(
  { event, count, after_page_view, repeats, is_used }: ReceivedEvent,
  pageViews: number,
): Fault[] {
  const share = pageViews < MIN_PAGE_VIEWS ? 1 : MAX_SHARE_OF_PAGE_VIEWS
  const isAutomatic = after_page_view >= MIN_COUNT && after_page_view >= share * pageViews
  const isDoubled = count >= MIN_COUNT && repeats > MAX_SHARE_OF_REPEATS * count
  return [
    ...(isAutomatic
      ? [
          {
            warning: `It follows ${Math.round((100 * after_page_view) / pageViews)} of 100 page views at once, so it says no more than page_view. Send it when a visitor acts.`,
            change: `Send ${event} when a visitor acts, not when the page is opened.`,
          },
        ]
      : []),
    ...(isDoubled
      ? [
          {
            warning: `${repeats} of ${count} events follow another ${event} of the same session within a second. Look for a second listener or a nested data-aa-event.`,
            change: `Send ${event} once for each act: remove the second listener, call or data-aa-event of it.`,
          },
        ]
      : []),
    ...(is_used === false && count >= MIN_COUNT_TO_USE
      ? [
          {
            warning: `No report, experiment or context has named ${event} so far. Use it, or remove it from the pages.`,
            change: null,
          },
        ]
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
