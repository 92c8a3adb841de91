import * as z from 'zod'
import { installSnippet } from '#lambdas/control/install-snippet'
import { defineTool } from '#lambdas/mcp/tool'
import { isTrackerProperty } from '#schemas/columns'
import type { RefusedEvents } from '#schemas/refusals'
import { project, sinceOr, tz } from './arguments.ts'
import { count, notesOf, type Read, range, tableOf } from './words.ts'

/** Whether tracking works: what arrives, and what is refused and why. */
export const check = defineTool({
  name: 'check',
  title: 'Check',
  description:
    'Whether tracking works: when the last event came, which events and properties arrive, what is refused and why, bots, allowed origins. Use it after an install and when numbers look wrong.',
  input: z.object({ project, since: sinceOr('1d'), tz }),
  effect: 'reads',
  async run({ project, since = '1d', tz }, { call, baseUrl, now }) {
    // At once, so that all of them see the same events, and their statements can be one.
    const [record, received, events, today, bots] = await Promise.all([
      call('readProject', { params: { id: project } }),
      call('receivedProperties', { query: { project, since, tz, receipt: true } }),
      call('properties', { query: { project, since, tz, receipt: true } }),
      call('stats', { query: { project, since: '0d', tz, receipt: true } }),
      call('botTraffic', { query: { project, period: '7d', receipt: true } }),
    ])
    const keysOf = Map.groupBy(received.properties, ({ event }) => event)
    const eventsToday = today.totals.total_events
    const arrived = events.events.map(({ event, count, last_seen }) => ({
      event,
      count,
      last_seen,
      properties: (keysOf.get(event) ?? [])
        .flatMap(({ key }) => (isTrackerProperty(key) ? [] : [key]))
        .join(' '),
    }))
    const added = new Set(received.properties.map(({ key }) => key).filter(isTrackerProperty))
    const links = Object.entries(record.refused.links)
    const refusedLinks = links.reduce((sum, [, number]) => sum + (number ?? 0), 0)
    const lastEvent =
      record.last_event_at === null
        ? 'No event has arrived yet'
        : `The last event came ${ago(now - Date.parse(record.last_event_at))} ago`
    return {
      summary: `${lastEvent}; ${count(eventsToday, 'event')} today (${today.period.to}, ${today.period.tz ?? 'UTC'}), ${count(bots.summary.dropped_events.current, 'event')} of bots dropped in 7 days, ${count(refusedLinks, 'link')} of ids refused.`,
      counted: 'what POST /track has accepted, and what it has refused',
      totals: {
        last_event_at: record.last_event_at,
        first_event_at: record.first_event_at,
        events_today: eventsToday,
        // What the month counts: by the time of arrival, copies included.
        accepted_today_utc: record.usage_today.event_count,
        events_ever: record.total_events,
        bot_requests_7d: bots.summary.automated_requests.current,
        bot_events_dropped_7d: bots.summary.dropped_events.current,
      },
      ...(record.last_event_at === null && {
        plain: `Put this into the head of each page:\n${installSnippet(record, baseUrl).snippet}`,
      }),
      tables: [
        tableOf(`events that arrive, ${range(events.period)}`, arrived, [
          'event',
          'count',
          'last_seen',
          'properties',
        ]),
        {
          name: `properties that the tracker adds, ${range(received.period)}`,
          columns: ['keys'],
          rows: added.size === 0 ? [] : [[[...added].join(' ')]],
        },
        {
          name: 'refused links of ids, since the start',
          columns: ['reason', 'number'],
          rows: links.map(([reason, number]) => [reason, number ?? 0]),
        },
        tableOf('events that were not stored, last seven days (UTC dates)', record.refused.events, [
          'reason',
          'events',
          'last_at',
          'last',
          'fix',
        ]),
        tableOf(`bots, ${range(bots.period)}`, bots.actors, [
          'actor',
          'category',
          'requests',
          'dropped_events',
        ]),
        {
          name: 'settings',
          columns: ['field', 'value'],
          rows: [['allowed_origins', record.allowed_origins]],
        },
      ],
      ...notesOf(events, ...[received, today, bots].map(withoutWarnings)),
      next:
        firstFix(record.refused.events) ??
        (record.last_event_at === null
          ? 'open a page with the snippet, then check again. Pages of other origins than allowed_origins are refused.'
          : 'query(report="live") for what arrives now.'),
    }
  },
})

/** What to change for the reason that was seen last; crawlers are no mistake. */
function firstFix(refused: readonly RefusedEvents[]): string | undefined {
  const mistake = refused.find(({ reason }) => reason !== 'bot')
  return mistake && `${count(mistake.events, 'event')} refused by ${mistake.reason}. ${mistake.fix}`
}

/** The other reads say the same about their range as the first one. */
function withoutWarnings({ receipt, truncated }: Read): Read {
  return { receipt, truncated }
}

function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 120) return count(minutes, 'minute')
  return minutes < 2_880 ? count(Math.round(minutes / 60), 'hour') : count(Math.round(minutes / 1_440), 'day')
}
