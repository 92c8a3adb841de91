import { readFileSync } from 'node:fs'
import { type Command, callCommand, type Flag, NAME } from '#cli/command'
import { CommandError } from '#cli/errors'
import type { Values } from '#cli/http/endpoint'
import { advice, type Block } from '#cli/print/blocks'
import { parseJson } from '#schemas/json-depth'

const FILE: Flag = {
  flags: '--file <lists>',
  required: true,
  help: 'JSON with the lists, which replaces all of them: a file, the text itself, or - for stdin',
}

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
    print: ({ project_context }) => [
      ...listBlocks(project_context),
      ...howToSet(project_context, 'context set NAME'),
    ],
  }),
  callCommand<'PUT /project-context'>({
    name: 'context set',
    group: 'Projects',
    effect: 'changes',
    hasTable: true,
    args: [NAME],
    flags: [FILE],
    summary: 'Replaces the context of a project, and shows the stored one',
    example: `context set shop --file '{"goals":["More signups"]}' --dry-run`,
    call: ({ args, options }) => ({
      endpoint: 'PUT /project-context',
      body: { ...listsIn(options.file), project: args.NAME },
    }),
    print: ({ project_context }) => listBlocks(project_context),
  }),
  callCommand<'GET /portfolio-context'>({
    name: 'portfolio-context get',
    group: 'Projects',
    args: [],
    flags: [],
    summary: 'What all projects of the account have in common',
    example: '--demo portfolio-context get',
    call: () => ({ endpoint: 'GET /portfolio-context' }),
    print: ({ portfolio_context }) => [
      ...listBlocks(portfolio_context),
      ...howToSet(portfolio_context, 'portfolio-context set'),
    ],
  }),
  callCommand<'PUT /portfolio-context'>({
    name: 'portfolio-context set',
    group: 'Projects',
    effect: 'changes',
    hasTable: true,
    args: [],
    flags: [FILE],
    summary: 'Replaces that, and shows the stored one',
    example: `portfolio-context set --file '{"goals":["More signups"]}' --dry-run`,
    call: ({ options }) => ({ endpoint: 'PUT /portfolio-context', body: listsIn(options.file) }),
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
  throw new CommandError({
    error: 'USAGE',
    message: 'There is no JSON object in what --file names.',
    suggested_action: `Write the lists as {"goals":["More signups"],"glossary":[]}, in a file or after --file.`,
  })
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
