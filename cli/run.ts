import { cleanText } from '#core/text/clean-text'
import type { Command, Input } from './command.ts'
import { CommandError, usage } from './errors.ts'
import type { Io } from './io.ts'
import { nearestProject } from './nearest-project.ts'
import { openSession } from './open-session.ts'
import { countedWords, optionWords, problemInOptions } from './option-words.ts'
import type { Block } from './print/blocks.ts'
import { printCall } from './print/dry-run.ts'
import type { Globals, Session } from './run-context.ts'

/** Runs one command: its calls, then its result on stdout. Returns the exit code. */
export async function runCommand(io: Io, command: Command, input: Input, globals: Globals): Promise<number> {
  refuseImpossible(command, input, globals)
  const isDone = command.effect !== undefined && input.options.dryRun !== true
  const session = openSession(io, globals, isDone)
  try {
    await runIn(session, command, input)
    return session.exitCode
  } catch (error) {
    throw inOptions(await nearestProject(error, command, input, session), command)
  }
}

async function runIn(session: Session, command: Command, input: Input): Promise<void> {
  if ('run' in command) return command.run(input, session)
  const call = await command.call(input)
  if (command.effect !== undefined && input.options.dryRun === true) return printCall(call, session)
  const response = await session.client(call)
  const blocks = blocksOf(command, input, response as never, session)
  session.print(blocks, response.text)
  const warnings = warningsOf(response.answer, command, input)
  for (const text of [...adviceOf(blocks), ...warnings, ...otherProject(command, input, session)])
    session.say(text)
}

/** The one project of the demo, which answers in the place of any other. */
const DEMO_PROJECT = 'demo'

function otherProject(command: Command, { args }: Input, { globals }: Session): string[] {
  const argument = command.args.find(({ isProject }) => isProject)
  const project = argument && args[argument.name]
  if (!globals.demo || project === undefined || project === DEMO_PROJECT) return []
  return [
    `The demo has one project, ${DEMO_PROJECT}. The numbers are of it, and not of ${cleanText(project, 100)}.`,
  ]
}

/** The service speaks of fields and parameters; who calls here has written options. */
function inOptions(error: unknown, command: Command): unknown {
  return error instanceof CommandError ? new CommandError(problemInOptions(error.problem, command)) : error
}

function refuseImpossible(
  { effect, hasTable }: Command,
  { options }: Input,
  { demo, json, csv, table }: Globals,
): void {
  if (effect === 'deletes' && !options.confirm && options.dryRun !== true) {
    throw usage(
      'Nothing is deleted without --confirm.',
      'See what would be sent with --dry-run, then add --confirm.',
      'CONFIRMATION_REQUIRED',
    )
  }
  if (demo && effect !== undefined && effect !== 'local') {
    throw usage('The demo is read-only.', 'Leave --demo out, and sign in with footfall login.', 'FORBIDDEN')
  }
  if (json && csv) throw usage('Options --json and --csv exclude each other.', 'Use one of them.')
  if (table !== undefined && !csv) throw usage('Option --table needs --csv.', 'Add --csv.')
  // A command that only reads says so after its call. A change must be refused before it is made.
  if (csv && effect !== undefined && !hasTable) throw usage('This command prints no table.', 'Use --json.')
}

function blocksOf(
  command: Extract<Command, { print: unknown }>,
  input: Input,
  response: never,
  session: Session,
) {
  const { answer } = response as { answer: never }
  const stored = () => (session.globals.demo ? undefined : session.store().read().sessions[session.baseUrl()])
  if ((answer as { dry_run?: boolean }).dry_run === true) return estimateBlocks(answer)
  try {
    return command.print(answer, { input, response, stored })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw usage(
      'The answer lacks fields that this version of the command line reads.',
      'Use --json for the answer as it is, and the same version of service and command line.',
      'UNEXPECTED_ANSWER',
    )
  }
}

function estimateBlocks({
  estimate,
}: {
  estimate: { rows: number | null; bytes: number | null; cost_usd: number | null }
}) {
  return [
    {
      kind: 'facts',
      facts: [
        ['Would read', `${estimate.rows ?? 'unknown'} rows, ${estimate.bytes ?? 'unknown'} bytes`],
        ['Would cost', estimate.cost_usd === null ? 'unknown' : `$${estimate.cost_usd}`],
      ],
    },
  ] as const
}

function adviceOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(block => (block.kind === 'advice' ? [block.text] : []))
}

/** Parameters of which a larger value shows more rows. */
const LIMITS: readonly string[] = ['limit', 'breakdown_limit']

/** What the service says beside the result, and lists that a limit has cut. */
function warningsOf(answer: object, command: Command, input: Input): string[] {
  const { flags, cut } = command
  const { warnings, truncated, total_rows, next_before } = answer as Record<string, unknown>
  const texts = Array.isArray(warnings)
    ? warnings.map(text => countedWords(optionWords(cleanText(String(text), 1_000), command), input))
    : []
  if (truncated !== true || typeof next_before === 'string') return texts
  const whole = typeof total_rows === 'number' ? ` of ${total_rows} rows` : ''
  const limit = flags.find(({ parameter }) => parameter !== undefined && LIMITS.includes(parameter))
  // A limit of groups says nothing about an answer whose groups are all there.
  const isLimit = limit?.parameter === 'limit' || (limit !== undefined && whole !== '')
  const more = isLimit
    ? `a larger --${limit?.parameter?.replaceAll('_', '-')} shows more.`
    : 'a shorter time shows all.'
  return [...texts, isLimit || cut === undefined ? `This is a part${whole}: ${more}` : cut]
}
