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
    text: 'People who did something in the dates. A visitor with several ids, such as one who has signed in on a phone too, counts once where the site has linked them.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  page_views: {
    title: 'Page views',
    text: 'Pages that visitors opened, each time they did. Who opens one page three times makes three.',
    more: 'events',
    as: 'count',
    isGood: true,
  },
  sessions: {
    title: 'Sessions',
    text: 'Visits. A new one begins after 30 minutes in which nothing happened.',
    more: 'sessions',
    as: 'count',
    isGood: true,
  },
  events: {
    title: 'Events',
    text: 'Everything that visitors did: page views, and what the site sends by name. An event that was sent twice counts once, and bots are left out.',
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
  single_page_rate: {
    title: 'One page only',
    text: 'The part of sessions with exactly one page view, whatever else visitors did on it. Other tools call such a visit a bounce. It is neither good nor bad by itself.',
    more: 'u83',
    as: 'rate',
    isGood: null,
  },
  duration: {
    title: 'Duration',
    text: 'The average time from the first to the last event of a session. A session of one event lasts 0 seconds.',
    more: 'rates-and-means-of-sessions',
    as: 'duration',
    isGood: true,
  },
  revenue: {
    title: 'Revenue',
    text: 'The sum of the property value of the chosen event, in one currency. Values of another currency, and those without one, are never added to it.',
    more: 'events',
    as: 'count',
    isGood: true,
  },
  paid_events: {
    title: 'Payments',
    text: 'Events of the chosen name with this currency. One that was sent twice with its event_id counts once.',
    more: 'events',
    as: 'count',
    isGood: true,
  },
  average_value: {
    title: 'Average payment',
    text: 'The revenue, divided by the payments.',
    more: 'events',
    as: 'count',
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
    text: 'The part of the visitors who did the chosen event, by what brought their first visit in these dates.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  funnel_users: {
    title: 'Passed the step',
    text: 'Visitors, or sessions, who did all steps up to this one, in their order and within the time allowed. Each counts once.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  funnel_rate: {
    title: 'Conversion',
    text: 'The part of those who began that came through all steps. Somebody who has only just begun may still do so.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  cohort: {
    title: 'Visitors of cohorts',
    text: 'Visitors by the time in which they first came, or first did the chosen event. Events without a visitor id are not counted.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  retention: {
    title: 'Retention',
    text: 'Of the visitors who first came in a period, the part that came back in a later one, or did the chosen event in it.',
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
    text: 'Visitors who did something in the last minutes. Events of the past that arrive now, such as an import, are not in it. Nor are events without a visitor id; the lists count those by session.',
    more: 'users',
    as: 'count',
    isGood: null,
  },
  active_sessions: {
    title: 'Active sessions',
    text: 'Sessions in which something happened in the last minutes, without events of the past that arrive now.',
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
    title: 'Visitors of a variant',
    text: 'Visitors who saw this variant first, since the experiment began.',
    more: 'users',
    as: 'count',
    isGood: null,
  },
  experiment_conversions: {
    title: 'Conversions of a variant',
    text: 'Those of its visitors who reached the goal after they first saw it. Each counts once.',
    more: 'users',
    as: 'count',
    isGood: true,
  },
  experiment_rate: {
    title: 'Conversion rate of a variant',
    text: 'Conversions as a part of the visitors of the variant.',
    more: 'users',
    as: 'rate',
    isGood: true,
  },
  probability_best: {
    title: 'Is best',
    text: 'The probability that this variant has the highest conversion rate of all, computed from visitors and conversions alone.',
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
