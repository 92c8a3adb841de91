import type { Format } from './format.ts'

export type Definition = {
  /** As the dashboard calls it. */
  title: string
  /** What it counts, in one or two sentences (docs/glossary.md, docs/api/numbers.md). */
  text: string
  /** Where /numbers.md says more. */
  more: string
  as: Format
  /** Whether a higher number is good news; null: neither. */
  isGood: boolean | null
}

/** The numbers of the dashboard. One name has one meaning in every view. */
export const definitions = {
  visitors: {
    title: 'Visitors',
    text: 'Different persons with an event in the range. All ids that identify has linked are one person.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  sessions: {
    title: 'Sessions',
    text: 'Visits. A session is all events that share a session id; the tracker ends one after 30 minutes without an event.',
    more: 'sessions',
    as: 'count',
    isGood: true,
  },
  events: {
    title: 'Events',
    text: 'Stored events of any name. An event that was sent twice counts once, and requests of bots are no events.',
    more: 'events',
    as: 'count',
    isGood: true,
  },
  bounce_rate: {
    title: 'Without interaction',
    text: 'The part of sessions in which nobody did anything but look at pages, however many. Other tools call a visit of a single page a bounce; this is not that. The API calls it bounce_rate.',
    more: 'bounces',
    as: 'rate',
    isGood: null,
  },
  duration: {
    title: 'Duration',
    text: 'The mean time from the first to the last event of a session. A session of one event has no duration.',
    more: 'rates-and-means-of-sessions',
    as: 'duration',
    isGood: true,
  },
  requests: {
    title: 'Automated requests',
    text: 'Requests of programs. They are recognised by their user agent and other signs, counted, and not stored as events.',
    more: 'events',
    as: 'count',
    isGood: null,
  },
  conversion: {
    title: 'Conversion rate',
    text: 'The part of the users of the range who have sent the chosen event, grouped by where their first event of the range says they came from.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  funnel_users: {
    title: 'Passed the step',
    text: 'Persons, or sessions, whose events match all steps up to this one in their order, within the window. Each counts once.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  funnel_rate: {
    title: 'Conversion',
    text: 'Those who passed the last step, as a part of those who passed the first one. Who began lately may still convert.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  cohort: {
    title: 'People of cohorts',
    text: 'Persons by the period in which they were first seen, or first sent the chosen event. Events without a user id are not counted.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  retention: {
    title: 'Retention',
    text: 'The part of a cohort with a session, or the chosen event, in a later period. Everybody is active in the period in which they joined.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  path_sessions: {
    title: 'Sessions on this way',
    text: 'Sessions that began on the most frequent entry pages, the newest of them. Their page views and events are followed in order, up to the chosen depth.',
    more: 'sessions',
    as: 'count',
    isGood: true,
  },
  path_rate: {
    title: 'Reached the goal',
    text: 'The part of the followed sessions that sent the goal at any time, also after the steps that the tree shows.',
    more: 'sessions',
    as: 'rate',
    isGood: true,
  },
  active_visitors: {
    title: 'Active visitors',
    text: 'Different persons with an event in the last minutes. Events of the past that arrive now, such as an import, are not in it. Nor are events without a user id; the lists count those by session.',
    more: 'users',
    as: 'count',
    isGood: null,
  },
  active_sessions: {
    title: 'Active sessions',
    text: 'Different sessions with an event in the last minutes, without events of the past that arrive now.',
    more: 'sessions',
    as: 'count',
    isGood: null,
  },
  events_per_minute: {
    title: 'Events a minute',
    text: 'Events that arrived in the window, divided by its minutes. An event that was sent twice counts once.',
    more: 'events',
    as: 'count',
    isGood: null,
  },
  exposures: {
    title: 'Exposures',
    text: 'Events that say that a visitor saw this variant, without forced ones. A visitor may see it several times.',
    more: 'users',
    as: 'count',
    isGood: null,
  },
  experiment_users: {
    title: 'Users of a variant',
    text: 'Persons whose first exposure was to this variant, since the experiment began.',
    more: 'users',
    as: 'count',
    isGood: null,
  },
  experiment_conversions: {
    title: 'Conversions of a variant',
    text: 'Those of its users who sent the goal at or after their first exposure. Each counts once.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  experiment_rate: {
    title: 'Conversion rate of a variant',
    text: 'Conversions as a part of the users of the variant.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  probability_best: {
    title: 'Is best',
    text: 'The probability that this variant has the highest conversion rate of all, computed from users and conversions alone.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  lift: {
    title: 'Lift',
    text: 'How much higher the conversion rate is than that of the baseline. The interval has the true lift with the probability that a decision needs: 99.7 % with two variants. So it holds for whoever looks every day.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  dropped_events: {
    title: 'Events not stored',
    text: 'Events that automated senders have sent. They are counted by day and kept nowhere, so no other number has them.',
    more: 'events',
    as: 'count',
    isGood: null,
  },
} as const satisfies Record<string, Definition>

export type NumberName = keyof typeof definitions
