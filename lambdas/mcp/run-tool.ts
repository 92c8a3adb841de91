import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type * as z from 'zod'
import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import { nearestName } from '#core/text/nearest-name'
import { readVisitorText } from '#core/text/visitor-text'
import { WHOLE_TABLES } from '#schemas/mcp-tables'
import type { Answer } from './answer.ts'
import { Declined, HumanNeeded } from './confirm.ts'
import { inputOf, MAX_TOKENS } from './input-schema.ts'
import { fencedText, printAnswer } from './print-answer.ts'
import { type CallRow, RowError } from './row-caller.ts'
import type { Tool, ToolContext } from './tool.ts'
import { hintOf, inToolWords } from './tool-words.ts'

/** A message repeats names that a caller may have copied from an answer. */
const MESSAGE_CHARS = 1_000

/** Wrong arguments that an answer explains. To look for the name that was meant takes 0.1 ms each. */
const MAX_PROBLEMS = 5

/** Runs a tool. A refused call is a result too, so that the model reads what is right and calls again. */
export async function runTool(
  tool: Tool,
  args: unknown,
  context: ToolContext,
  log: Log,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const { max_tokens = MAX_TOKENS.default, ...own } = checkedArguments(tool, args)
    refuseReadOnly(tool, own, context)
    const hasLimit = 'limit' in tool.input.shape
    const answer = inWordsOf(tool, await tool.run(own, context))
    const { text, structured, whole } = printAnswer(answer, max_tokens as number, { hasLimit })
    return {
      content: [{ type: 'text', text }],
      structuredContent: structured,
      ...(whole.length > 0 && { _meta: { [WHOLE_TABLES]: whole } }),
    }
  } catch (error) {
    if (error instanceof HumanNeeded) return error.result
    if (error instanceof Declined) return failure('DECLINED', 'The human said no. Nothing was removed.', '')
    if (error instanceof RowError || error instanceof ApiError) {
      const said = inToolWords(error.message, tool.renames)
      const message = error.code === 'NOT_FOUND' ? await withNearest(said, args, context) : said
      const code =
        error.code === 'MISSING_FIELDS' && isAboutSent(said, args) ? 'INVALID_ARGUMENTS' : error.code
      const { required_scope } = (error instanceof RowError ? error.fields : error.extras.fields) ?? {}
      return failure(code, hintOf(code, tool.renames, required_scope as string | undefined), message)
    }
    log('REQUEST_FAILED', {
      route: `tool ${tool.name}`,
      error: error instanceof Error ? error.stack : String(error),
    })
    return failure('INTERNAL_ERROR', hintOf('INTERNAL_ERROR'), '')
  }
}

/** The message, and the project or portfolio that the caller may have meant. */
async function withNearest(message: string, args: unknown, { call }: ToolContext): Promise<string> {
  const { what, id, project, values } = (args ?? {}) as Record<string, unknown>
  const portfolio = what === 'portfolio' ? id : (values as Record<string, unknown> | undefined)?.portfolio
  const asked = portfolio ?? (what === 'project' ? id : project)
  if (typeof asked !== 'string') return message
  const kind = portfolio === undefined ? 'projects' : 'portfolios'
  const names: string[] = await namesOf[kind](call).catch(() => [])
  const near = nearestName(asked, names)
  if (names.includes(asked) || names.length === 0) return message
  return `${message} ${near === null ? `The ${kind} are ${names.slice(0, 10).join(', ')}.` : `Did you mean ${near}?`}`
}

const namesOf = {
  projects: async (call: CallRow) => (await call('listProjects')).projects.map(({ name }) => name),
  portfolios: async (call: CallRow) => (await call('listPortfolios')).portfolios.map(({ slug }) => slug),
}

/** The hint is ours. The message may repeat what visitors have chosen, so it stands in a fence. */
function failure(code: string, hint: string, message: string): CallToolResult {
  const text =
    message === '' || message === hint
      ? `${code}: ${hint}`
      : `${code}: ${hint}\n${fencedText(message, MESSAGE_CHARS)}`
  return { content: [{ type: 'text', text }], isError: true }
}

/**
 * The arguments, with the names of earlier answers as they are stored. Throws MISSING_FIELDS where one is
 * missing, else INVALID_ARGUMENTS.
 */
function checkedArguments(tool: Tool, args: unknown): Record<string, unknown> {
  const input = inputOf(tool)
  const result = input.safeParse(asStored(args ?? {}))
  if (result.success) return result.data
  const problems = result.error.issues
    .slice(0, MAX_PROBLEMS)
    .map(issue => problemOf(issue, Object.keys(input.shape)))
  const isMissing = result.error.issues.every(({ path }) => path.length > 0 && valueAt(args, path) == null)
  throw new ApiError(isMissing ? 'MISSING_FIELDS' : 'INVALID_ARGUMENTS', problems.join(' '))
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null)?.[key], args)
}

/**
 * Whether an error MISSING_FIELDS is about an argument that was sent. A row of the routes table throws it for
 * a missing field and for a wrong value. Its message names the field first, so a field that was sent is
 * wrong.
 */
function isAboutSent(message: string, args: unknown): boolean {
  const path = /`([\w.]+)`/.exec(message)?.[1]?.split('.') ?? []
  const { values, ...others } = (args ?? {}) as Record<string, unknown>
  return path.length > 0 && valueAt({ ...others, ...(values as object | undefined) }, path) != null
}

function asStored(value: unknown): unknown {
  if (typeof value === 'string') return readVisitorText(value)
  if (Array.isArray(value)) return value.map(asStored)
  if (typeof value !== 'object' || value === null) return value
  // A null counts as absent, as in every body (R2).
  const fields = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(fields.map(([name, field]) => [name, asStored(field)]))
}

const TYPES: Record<string, string> = {
  ...{ string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false' },
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

function problemOf(issue: z.core.$ZodIssue, known: readonly string[]): string {
  const name = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_PROBLEMS)
      .map(key => {
        const near = nearestName(key, known)
        const advice = near === null ? `The arguments are ${known.join(', ')}.` : `Did you mean \`${near}\`?`
        return `Argument "${key}" is unknown. ${advice}`
      })
      .join(' ')
  }
  if (issue.code === 'too_small') return `Argument \`${name}\` must be at least ${issue.minimum}.`
  if (issue.code === 'too_big') return `Argument \`${name}\` must be at most ${issue.maximum}.`
  if (issue.code === 'invalid_type')
    return `Argument \`${name}\` must be ${TYPES[issue.expected] ?? issue.expected}.`
  if (issue.code === 'invalid_value') return `Argument \`${name}\` must be one of ${issue.values.join(', ')}.`
  return `Argument \`${name}\`: ${issue.message}.`
}

function refuseReadOnly(
  { effect, name, scopeOf }: Tool,
  args: Record<string, unknown>,
  { caller }: ToolContext,
): void {
  if (effect === 'reads' || caller.credential.kind === 'agent_session') return
  const who = caller.credential.kind === 'demo' ? 'A demo session' : 'An API key'
  const required_scope = scopeOf?.(args) ?? 'projects:write'
  throw new ApiError(
    'FORBIDDEN',
    `${who} only reads here, and \`${name}\` changes data. Sign in to this server, and approve the scope \`${required_scope}\`.`,
    { fields: { required_scope } },
  )
}

/** The answer with warnings that name the arguments and calls of the tool, as its errors do. */
function inWordsOf({ renames }: Tool, answer: Answer): Answer {
  return { ...answer, warnings: answer.warnings?.map(warning => inToolWords(warning, renames)) ?? [] }
}
