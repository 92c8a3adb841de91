import { readFileSync } from 'node:fs'
import { type Command, callCommand, type Flag, NAME, parametersOf } from '#cli/command'
import { usage } from '#cli/errors'
import type { Values } from '#cli/http/endpoint'
import { advice, type Block } from '#cli/print/blocks'
import { parseJson } from '#schemas/json-depth'

const FILE: Flag = {
  flags: '--file <lists>',
  required: true,
  help: 'JSON with the lists, which replaces all of them: a file, the text itself, or - for stdin',
}

const IF_MATCH: Flag = {
  flags: '--if-match <version>',
  help: 'the version that `get` has shown; refused when the lists have changed since',
}

const ANNOTATION: readonly Flag[] = [
  { flags: '--title <text>', parameter: 'title', required: true, help: 'what happened' },
  {
    flags: '--at <moment>',
    parameter: 'occurred_at',
    required: true,
    help: 'ISO 8601 date or date-time: 2026-11-20, or $(date -u +%FT%TZ) for now',
  },
  { flags: '--note <text>', parameter: 'note', help: 'more about it' },
]

/** What the owner says about the numbers. */
export const contextCommands: readonly Command[] = [
  callCommand<'GET /project-context'>({
    name: 'context get',
    group: 'Projects',
    args: [NAME],
    flags: [],
    summary: 'What the numbers of a project mean: goals, activation, words, annotations',
    example: '--demo context get demo',
    call: ({ args }) => ({ endpoint: 'GET /project-context', query: { project: args.NAME } }),
    print: ({ project_context, etag }) => [
      ...listBlocks(project_context),
      version(etag),
      ...howToSet(project_context, 'context set NAME'),
    ],
  }),
  callCommand<'PUT /project-context'>({
    name: 'context set',
    group: 'Projects',
    effect: 'changes',
    hasTable: true,
    args: [NAME],
    flags: [FILE, IF_MATCH],
    summary: 'Replaces the context of a project, and shows the stored one',
    example: `context set shop --file '{"goals":["More signups"]}' --dry-run`,
    call: ({ args, options }) => ({
      endpoint: 'PUT /project-context',
      body: { ...listsIn(options.file), project: args.NAME },
      ifMatch: options.ifMatch as string | undefined,
    }),
    print: ({ project_context }) => listBlocks(project_context),
  }),
  callCommand<'POST /projects/{id}/annotations'>({
    name: 'annotations add',
    group: 'Projects',
    effect: 'changes',
    args: [NAME],
    flags: ANNOTATION,
    summary: 'Notes what happened at a time, such as a release; others may write at the same time',
    example: `annotations add shop --title 'Release 2.4' --at 2026-11-20 --dry-run`,
    call: input => ({
      endpoint: 'POST /projects/{id}/annotations',
      path: { id: input.args.NAME as string },
      body: parametersOf(ANNOTATION, input),
    }),
    print: ({ id, occurred_at, title }) => [
      {
        kind: 'facts',
        facts: [
          ['Noted', title],
          ['Time', occurred_at],
          ['Id', id],
        ],
      },
    ],
  }),
  callCommand<'DELETE /projects/{id}/annotations/{annotation}'>({
    name: 'annotations delete',
    group: 'Projects',
    effect: 'deletes',
    args: [NAME, { name: 'ID', help: 'id of the annotation, as `context get` shows it' }],
    flags: [],
    summary: 'Deletes one annotation',
    example: 'annotations delete shop ann_0123456789abcdef0 --dry-run',
    call: ({ args }) => ({
      endpoint: 'DELETE /projects/{id}/annotations/{annotation}',
      path: { id: args.NAME as string, annotation: args.ID as string },
    }),
    print: () => [{ kind: 'facts', facts: [['Deleted', 'one annotation']] }],
  }),
  callCommand<'GET /portfolio-context'>({
    name: 'portfolio-context get',
    group: 'Projects',
    args: [],
    flags: [],
    summary: 'What all projects of the account have in common',
    example: '--demo portfolio-context get',
    call: () => ({ endpoint: 'GET /portfolio-context' }),
    print: ({ portfolio_context, etag }) => [
      ...listBlocks(portfolio_context),
      version(etag),
      ...howToSet(portfolio_context, 'portfolio-context set'),
    ],
  }),
  callCommand<'PUT /portfolio-context'>({
    name: 'portfolio-context set',
    group: 'Projects',
    effect: 'changes',
    hasTable: true,
    args: [],
    flags: [FILE, IF_MATCH],
    summary: 'Replaces that, and shows the stored one',
    example: `portfolio-context set --file '{"goals":["More signups"]}' --dry-run`,
    call: ({ options }) => ({
      endpoint: 'PUT /portfolio-context',
      body: listsIn(options.file),
      ifMatch: options.ifMatch as string | undefined,
    }),
    print: ({ portfolio_context }) => listBlocks(portfolio_context),
  }),
]

function listsIn(source: unknown): Values {
  const text = String(source)
  try {
    const value: unknown = parseJson(
      /^\s*\{/.test(text) ? text : readFileSync(text === '-' ? 0 : text, 'utf8'),
    )
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Values
  } catch {}
  throw usage(
    'The text or file of --file is no JSON object.',
    `Write the lists as {"goals":["More signups"],"glossary":[]}, in a file or after --file.`,
  )
}

function version(etag: string): Block {
  return { kind: 'facts', facts: [['Version', etag]] }
}

function howToSet(context: object, command: string): Block[] {
  const isEmpty = Object.values(context).every(entries => (entries as unknown[]).length === 0)
  return isEmpty ? [advice(`Nothing is set. Set the lists: footfall ${command} --file FILE`)] : []
}

/** Texts of a list as lines, entries with several fields as a table. */
function listBlocks(context: object): Block[] {
  return Object.entries(context as Record<string, unknown[]>).map(([name, entries]): Block => {
    const rows = entries.map(entry =>
      typeof entry === 'string' ? { text: entry } : (entry as Record<string, unknown>),
    )
    const keys = [...new Set(rows.flatMap(row => Object.keys(row)))]
    return {
      kind: 'table',
      name,
      title: name.replaceAll('_', ' '),
      columns: keys.map(key => ({ key, title: key })),
      rows,
    }
  })
}
