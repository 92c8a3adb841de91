/**
 * What the numbers of the reports mean, one line each: the glossary of MCP, and the head of
 * docs/api/numbers.md, which has every formula.
 */
export const MEANINGS: readonly string[] = [
  'Event: what tracking accepted and stored. A copy with the same event_id counts once. Requests of bots are no events.',
  'Person (unique_users): all ids that identify has linked count once. The people of two days do not add up: one person may be in both.',
  'Session: all events with one session_id. It belongs to the day on which it starts. Duration is last event minus first, in ms.',
  'Bounce: a session without an interaction. Page views, impressions, scroll depth, errors, time on page, load times, web vitals and exposures to experiments are no interactions.',
  'bounce_rate = bounces / sessions, 0 to 1. single_page_rate: the part of sessions with exactly one page_view. pages_per_session counts events of every name.',
  'Conversion rate of a step: of those who passed the step before, within the window (default 168 hours from step 1).',
  'Retention: of the people of a cohort, those with an activity n periods after their first.',
  'Ranges: since=7d has 8 dates, today included, and today is not over. Dates are of tz, else of the time zone of the project, else UTC; the answer names the zone.',
  'compare: previous (the period of equal length before), year, or dates. change_pct is null where the number grew from 0. Read it as new above 999 where the period before began before the data.',
  'Receipt: exact is false where a limit cut the answer; data_from is the day of the first event.',
]
