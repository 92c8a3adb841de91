import { callCommand, type Flag, NAME, parametersOf } from '#cli/command'
import type { Answer } from '#cli/http/endpoint'
import type { Block } from '#cli/print/blocks'

const TIMEZONE: Flag = {
  flags: '--timezone <zone>',
  parameter: 'timezone',
  help: 'time zone of its reads without --tz, such as Europe/Berlin; "" for none',
}

export const CREATE: readonly Flag[] = [
  {
    flags: '--domain <origin>',
    parameter: 'allowed_origins',
    required: true,
    help: 'where events may come from: https://example.com, several with commas, or *',
  },
  TIMEZONE,
  { flags: '--source-scan <id>', parameter: 'source_scan_id', help: 'a website analysis of the account' },
]

export const create = callCommand<'POST /projects'>({
  name: 'create',
  group: 'Projects',
  effect: 'changes',
  args: [{ name: 'NAME', help: 'name of the new project' }],
  flags: CREATE,
  summary: 'Creates a project, or finds the one of this name, and prints the snippet for its pages',
  example: 'create shop --domain https://shop.example.com --dry-run',
  call: input => ({
    endpoint: 'POST /projects',
    body: { name: input.args.NAME, ...parametersOf(CREATE, input) },
  }),
  print: createdBlocks,
})

/** A project that was created or found, with its snippet. */
export function createdBlocks(answer: Answer<'POST /projects'>): Block[] {
  return [
    projectFacts(answer.existing ? 'It was there before' : 'Created', answer),
    { kind: 'source', title: 'For the head of each page', text: answer.snippet },
    { kind: 'source', title: 'Then, for example', text: answer.api_example },
  ]
}

const UPDATE: readonly Flag[] = [
  { flags: '--name <name>', parameter: 'name', help: 'a new name, before the first event' },
  {
    flags: '--display-name <text>',
    parameter: 'display_name',
    help: 'what people read instead of the name; "" for none',
  },
  { flags: '--origins <origins>', parameter: 'allowed_origins', help: 'where events may come from' },
  TIMEZONE,
  {
    flags: '--retention-days <n>',
    parameter: 'retention_days',
    as: 'whole',
    help: 'for how many days events and replays are kept; 0: as long as the plan keeps them',
  },
]

export const update = callCommand<'PATCH /projects/{id}'>({
  name: 'update',
  group: 'Projects',
  effect: 'changes',
  args: [NAME],
  flags: UPDATE,
  summary: 'Changes the names, the origins, the time zone or the retention of a project',
  example: 'update shop --origins https://shop.example.com --dry-run',
  call: input => ({
    endpoint: 'PATCH /projects/{id}',
    path: { id: input.args.NAME as string },
    body: parametersOf(UPDATE, input),
  }),
  print: answer => [projectFacts('Changed', answer)],
})

export const remove = callCommand<'DELETE /projects/{id}'>({
  name: 'delete',
  group: 'Projects',
  effect: 'deletes',
  args: [NAME],
  flags: [],
  summary: 'Deletes a project: its token is dead at once, and its data cannot be read any more',
  example: 'delete shop --dry-run',
  call: ({ args }) => ({ endpoint: 'DELETE /projects/{id}', path: { id: args.NAME as string } }),
  print: answer => [{ kind: 'facts', facts: [['Deleted', answer.deleted]] }],
})

function projectFacts(label: string, project: Answer<'PATCH /projects/{id}'>): Block {
  return {
    kind: 'facts',
    facts: [
      [label, project.name],
      ['Shown as', project.display_name],
      ['Id', project.id],
      ['Token', project.project_token],
      ['Origins', project.allowed_origins],
      ['Time zone', project.timezone],
      ['Kept for days', project.retention_days],
    ],
  }
}
