import * as z from 'zod'
import { defineTool, type ToolContext } from '#lambdas/mcp/tool'
import { project, sinceOr } from './arguments.ts'
import { count, EVERYBODY, notesOf, range, tableOf } from './words.ts'

/** What there is to ask about: the projects, or the events and properties of one. */
export const overview = defineTool({
  name: 'overview',
  title: 'Overview',
  description:
    'Start here. Without project: the projects and when their data begins. With project: its events with counts, property keys, and what the owner says about goals and words.',
  input: z.object({ project: project.optional(), since: sinceOr('30d') }),
  effect: 'reads',
  run: ({ project, since = '30d' }, context) =>
    project === undefined ? listProjects(context) : listEvents(project, since, context),
})

async function listProjects({ call }: ToolContext) {
  const { projects, tier } = await call('listProjects')
  return {
    summary: `The account has ${count(projects.length, 'project')} and the ${tier} plan.`,
    counted: 'projects that are not deleted',
    totals: { projects: projects.length },
    tables: [
      tableOf('projects', projects, [
        'name',
        'id',
        'total_events',
        'first_event_at',
        'last_event_at',
        'allowed_origins',
      ]),
    ],
    next: projects.length === 0 ? 'manage(action="create_project", name=…).' : 'overview(project=<name>).',
  }
}

/** The events and properties of a project, and what its owner says. */
export async function listEvents(project: string, since: string, { call }: ToolContext) {
  // One after the other: a project that does not exist is refused once.
  const properties = await call('properties', { query: { project, since, receipt: true } })
  const record = await call('readProject', { params: { id: project } })
  const { events, property_keys, project_context: context, period } = properties
  return {
    summary: `Project ${record.name}: ${count(record.total_events, 'event')} since its start, ${count(events.length, 'event name')} and ${count(property_keys.length, 'property key')} from ${range(period)}.`,
    counted: `events that ${EVERYBODY.split(';')[0]} sent; ${EVERYBODY.split('; ')[1]}`,
    totals: {
      total_events: record.total_events,
      first_event_at: record.first_event_at,
      last_event_at: record.last_event_at,
      event_names: events.length,
      property_keys: property_keys.length,
    },
    tables: [
      tableOf('events', events, ['event', 'count', 'unique_users', 'first_seen', 'last_seen']),
      { name: 'property keys', columns: ['key'], rows: property_keys.map(key => [key]) },
      ...(context === undefined ? [] : contextTables(context)),
    ],
    ...notesOf(properties),
    next: 'query(project, metrics, group_by), journeys for funnels, changes for what moved.',
  }
}

type Context = {
  goals: string[]
  activation_events: string[]
  glossary: { event_name: string; term: string; definition: string }[]
}

/** What the owner says, without annotations. */
export function contextTables({ goals, activation_events, glossary }: Context) {
  return [
    { name: 'goals of the owner', columns: ['goal'], rows: goals.map(goal => [goal]) },
    { name: 'activation events', columns: ['event'], rows: activation_events.map(event => [event]) },
    tableOf('glossary', glossary, ['event_name', 'term', 'definition']),
  ]
}
