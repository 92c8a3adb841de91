import * as z from 'zod'
import { defineTool, type ToolContext } from '#lambdas/mcp/tool'
import { filters, limit, project, sinceOr, step, tz, until, where } from './arguments.ts'
import { dated } from './query-report.ts'
import { refuseUnused } from './refuse-unused.ts'
import { count, EVERYBODY, moment, notesOf, range, tableOf } from './words.ts'

const input = z.object({
  project,
  user_id: z.string().optional().describe('Of one person'),
  email: z.string().optional().describe('Of one person'),
  session_id: z.string().optional().describe('Events of this session'),
  filters,
  steps: z.array(step).optional().describe('Of a funnel'),
  step: z.int().min(1).max(8).optional().describe('People who passed this step'),
  cohort: z.string().optional().describe('People of this date of a retention grid'),
  offset: z.int().min(0).max(29).optional().describe('who came back so many periods later'),
  dropped: z.boolean().optional().describe('and not the next step; or did not come back'),
  period: z.enum(['day', 'week', 'month']).optional().describe('Of the grid'),
  cohorts: z.int().optional().describe('Of the grid'),
  event: z.string().optional().describe('Of the grid: first event'),
  returning_event: z.string().optional().describe('Of the grid: later event'),
  window_hours: z.number().optional().describe('Of steps; default 168'),
  fields: z.array(z.string()).optional().describe('Event columns; default timestamp, event, path'),
  oldest_first: z.boolean().optional().describe('Of a person, default false: newest first'),
  before: z.string().optional().describe('next_before of the last answer'),
  since: sinceOr('30d of a person or steps, else 7d; of a cohort the first of the grid'),
  until,
  tz,
  where,
  limit,
})
type Args = z.output<typeof input>

/** Who is behind a number. */
export const people = defineTool({
  name: 'people',
  title: 'People',
  description:
    'Who is behind a number. With user_id or email: what one person did. With session_id: one session. With steps and step: who passed a step of a funnel, or dropped off after it. With cohort, and the arguments of that grid: who is in a cell. Otherwise the people whose events match the filters, most active first.',
  input,
  renames: {
    ...{
      people_of_cohort: 'cohort',
      people_of_offset: 'offset',
      people_of_step: 'step',
      people_dropped: 'dropped',
    },
    conversion_window_hours: 'window_hours',
    date_from: 'since',
    date_to: 'until',
  },
  effect: 'reads',
  run: (args, context) => {
    const { name, takes, list } = questions[questionOf(args)]
    refuseUnused(args, name, ['project', 'since', 'until', 'tz', 'where', 'limit', ...takes])
    return list(args, context)
  },
})

function questionOf(args: Args) {
  if (args.user_id !== undefined || args.email !== undefined) return 'person'
  if (args.cohort !== undefined || args.offset !== undefined) return 'cell'
  if (args.steps !== undefined || args.step !== undefined) return 'step'
  return args.session_id === undefined ? 'matching' : 'session'
}

/**
 * What the arguments ask for, and which of them the answer reads beside project, since, until, tz, where and
 * limit.
 */
const questions = {
  person: {
    name: 'People with user_id or email',
    takes: ['user_id', 'email', 'fields', 'oldest_first', 'before'],
    list: timeline,
  },
  cell: {
    name: 'People with cohort',
    takes: ['cohort', 'offset', 'dropped', 'period', 'cohorts', 'event', 'returning_event'],
    list: listPeopleOfCell,
  },
  step: {
    name: 'People with steps',
    takes: ['steps', 'step', 'dropped', 'window_hours'],
    list: listPeopleOfStep,
  },
  session: {
    name: 'People with session_id',
    takes: ['session_id', 'fields', 'before'],
    list: listEvents,
  },
  matching: {
    name: 'People without a person, steps or a cohort',
    takes: ['filters'],
    list: listPeople,
  },
}

const DEFAULT_FIELDS = ['timestamp', 'event', 'path']

async function timeline(args: Args, { call }: ToolContext) {
  const { user_id, email, before, fields = DEFAULT_FIELDS, oldest_first, limit } = args
  const found = await call('journeyByBody', {
    body: {
      ...{ ...dated(args), user_id, email, before, limit: limit ?? 100 },
      fields: fields.join(','),
      order: oldest_first ? 'asc' : 'desc',
    },
  })
  return {
    summary:
      found.profiles.length === 0
        ? `No person with this ${user_id === undefined ? 'email' : 'id'} has events, ${range(found.period)}.`
        : `${count(found.count, 'event')} of ${count(found.profiles.length, 'person', 'people')}, ${range(found.period)}${found.next_before === null ? '' : '; there are more'}.`,
    counted: 'events of one person under all linked ids',
    totals: { events: found.count, next_before: found.next_before },
    tables: [
      {
        name: `events, ${oldest_first ? 'oldest' : 'newest'} first`,
        columns: fields,
        rows: found.events.map(event => fields.map(field => cell(event, field))),
      },
      tableOf('profiles', found.profiles, ['user_id', 'traits']),
    ],
    ...notesOf(found),
    next:
      found.profiles.length === 0
        ? 'people(project) for the ids that have events; a longer since.'
        : found.next_before === null
          ? 'query for how many do the same.'
          : 'people with before=<next_before> for the next page.',
  }
}

async function listEvents(args: Args, { call }: ToolContext) {
  const { session_id, before, fields = DEFAULT_FIELDS, limit } = args
  const found = await call('eventsByBody', {
    body: {
      ...{ ...dated(args), session_id, before, limit: limit ?? 100, fields: fields.join(',') },
    },
  })
  const rows = found.events as Record<string, unknown>[]
  return {
    summary: `${count(rows.length, 'event')} of the session, newest first${found.next_before === null ? '' : '; there are more'}.`,
    counted: 'events of one session',
    totals: { events: rows.length, next_before: found.next_before },
    tables: [
      { name: 'events', columns: fields, rows: rows.map(event => fields.map(field => cell(event, field))) },
    ],
    ...notesOf(found),
    next: 'people(project, user_id=…) for the person.',
  }
}

async function listPeopleOfStep(args: Args, { call }: ToolContext) {
  const { steps, step = 1, dropped = false, window_hours } = args
  const found = await call('funnel', {
    body: {
      ...dated(args),
      steps,
      conversion_window_hours: window_hours,
      people_of_step: step,
      people_dropped: dropped,
    },
  })
  const [passed, next] = [found.steps[step - 1]?.users ?? 0, found.steps[step]?.users ?? 0]
  const total = dropped && step < found.steps.length ? passed - next : passed
  const listed = (found.people ?? []).slice(0, args.limit)
  const rows = listed.map(({ id, at, ...session }) => ({ user_id: id, passed_at: moment(at), ...session }))
  return {
    summary: `${count(total, 'person', 'people')} passed step ${step}${dropped ? ` and not step ${step + 1}` : ''}, ${range(found.period)}.`,
    counted: `people that begin with step 1 in the range, within ${found.conversion_window_hours} hours; ${EVERYBODY}`,
    totals: { people: total, passed },
    tables: [
      tableOf(
        'people, the latest first',
        rows,
        ['user_id', 'passed_at', 'session_id', 'replay_count'],
        total,
      ),
    ],
    ...notesOf(found),
    next: 'people(project, user_id=…) for what one of them did.',
  }
}

async function listPeopleOfCell(args: Args, { call }: ToolContext) {
  const { cohort, offset = 0, dropped = false, period, cohorts, event, returning_event } = args
  const found = await call('retention', {
    query: {
      ...{ ...dated(args), period, cohorts, event, returning_event },
      people_of_cohort: cohort,
      people_of_offset: offset,
      people_dropped: dropped,
    },
  })
  const { users = 0, retained = [] } = found.cohorts.find(({ date }) => date === cohort) ?? {}
  const returned = retained[offset] ?? 0
  const total = dropped ? users - returned : returned
  const listed = (found.people ?? []).slice(0, args.limit)
  const rows = listed.map(({ id, at }) => ({ user_id: id, at: moment(at) }))
  const later = `${count(offset, found.period)} later`
  const what = offset === 0 ? 'are in' : `${dropped ? 'did not come back' : 'came back'} ${later}, of`
  const isReturn = offset > 0 && !dropped
  return {
    summary: `${count(total, 'person', 'people')} ${what} the cohort of ${cohort} (${count(users, 'person', 'people')}).`,
    counted: `people by the ${found.period} of their first ${event === undefined ? 'session' : 'event of that name'}; ${EVERYBODY}`,
    totals: { people: total, cohort: users },
    tables: [
      tableOf(
        `people, the latest first; at: ${isReturn ? 'when they came back' : 'first seen'}`,
        rows,
        ['user_id', 'at'],
        total,
      ),
    ],
    ...notesOf(found),
    next: 'people(project, user_id=…) for what one of them did.',
  }
}

async function listPeople(args: Args, { call }: ToolContext) {
  const { filters, limit } = args
  const metrics = ['event_count', 'session_count']
  const found = await call('query', {
    body: {
      ...{ ...dated(args), metrics, filters, limit, count_mode: 'raw' },
      group_by: ['user_id'],
    },
  })
  const known = found.rows.filter(({ user_id }) => user_id !== null)
  const people = (found.total_rows ?? found.count) - (found.rows.length - known.length)
  return {
    summary: `${count(people, 'person', 'people')} with such events, ${range(found.period)}.`,
    counted: `people with ${filters === undefined ? 'any event' : 'an event that matches all filters'}; ${EVERYBODY}; events without a user are left out`,
    totals: { people },
    tables: [tableOf('people', known, ['user_id', ...metrics], people)],
    ...notesOf(found),
    next: 'people(project, user_id=…) for what one of them did.',
  }
}

function cell(event: object, field: string) {
  const value = (event as Record<string, unknown>)[field]
  if (field === 'timestamp') return moment(value)
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : ((value ?? null) as string | number | null)
}
