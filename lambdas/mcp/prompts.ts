import type { McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod'

/** Longest argument of a prompt: a human types it. */
const MAX_CHARS = 200

const project = z.string().max(MAX_CHARS).describe('Name of the project')
const optional = z.string().max(MAX_CHARS).optional()

type Prompt = {
  name: string
  title: string
  description: string
  args: z.ZodObject
  text(args: Record<string, string>): string
}

/** What clients show to a human as commands. Each names the tools to call, and what a good answer has. */
const prompts: readonly Prompt[] = [
  {
    name: 'weekly_review',
    title: 'Weekly review',
    description: 'What happened in the last week, and what to look at',
    args: z.object({ project }),
    text: ({ project }) => `Review the last week of the Footfall project "${project}".

1. changes(project, since="6d"): totals and movers against the week before.
2. query(report="pages", since="6d"): where sessions begin and end.
3. journeys(kind="funnel", since="6d"): without steps it takes the activation events. If there are none, ask which steps matter.
4. For the largest mover ask query by date, and look at the annotations of overview for a reason.

Answer with five sentences at most: how many people and the change, the two largest movers with numbers, the step with the largest drop-off,
one thing to do. Say the dates. Say "not known" where the data does not show a reason.`,
  },
  {
    name: 'find_drop_off',
    title: 'Find the drop-off',
    description: 'Where people leave on the way to a goal',
    args: z.object({ project, goal: optional.describe('Event that people should reach') }),
    text: ({
      project,
      goal,
    }) => `Find where people leave on the way to ${goal === undefined ? 'the goal' : `"${goal}"`} in the Footfall project "${project}".

1. overview(project): take event names from there only. ${goal === undefined ? 'Choose the goal with the human.' : ''}
2. journeys(kind="paths", goal): the ways that sessions take.
3. journeys(kind="funnel", steps) for the most frequent way, then again with by="country" and with by="device" or another property.
4. people(project, steps, step, dropped) for who left, and people(project, user_id) for what three of them did last.

Answer with the step, how many of how many leave there, for whom it is worse, and what they did instead. Do not guess motives.`,
  },
  {
    name: 'check_install',
    title: 'Check an install',
    description: 'Whether the tracker works, and what is missing',
    args: z.object({ project }),
    text: ({ project }) => `Check the tracking of the Footfall project "${project}".

1. check(project). No event yet: show the human the snippet and where it goes, ask them to open a page, and check again.
2. Events arrive: compare their names and properties with what the site does. Name what is missing, such as signup or purchase.
3. Look for page views that come twice at the same time in one session, for test hosts in properties.url, and for a spike of bots.

Answer with a list: works, missing, wrong; and the one line of code for each thing that is missing.`,
  },
  {
    name: 'explain_change',
    title: 'Explain a change',
    description: 'Why a number moved',
    args: z.object({
      project,
      what: optional.describe('The number, such as signups'),
      when: optional.describe('A date'),
    }),
    text: ({
      project,
      what,
      when,
    }) => `Explain why ${what === undefined ? 'the number of people' : `"${what}"`} moved${when === undefined ? '' : ` around ${when}`} in the Footfall project "${project}".

1. query by date for the number, with compare=true: find the day.
2. changes(project, since=<that day>): which events, countries, pages and sources moved. Add by=["properties.…"] for other fields.
3. For each candidate: query with a filter for it, by date. It explains the change only if its own change is as large.
4. check(project) for tracking that broke or bots, and overview for annotations of the owner.

Answer with the day, the size, what explains how much of it, and what is left unexplained. A cause needs a number.`,
  },
]

export function addPrompts(server: McpServer): void {
  for (const { name, title, description, args, text } of prompts) {
    server.registerPrompt(name, { title, description, argsSchema: args }, given => ({
      messages: [{ role: 'user', content: { type: 'text', text: text(given as Record<string, string>) } }],
    }))
  }
}
