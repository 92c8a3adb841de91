import { conditionOf } from './filters.ts'
import type { Response } from './http/client.ts'
import type { Answer, Call, Endpoint, Values } from './http/endpoint.ts'
import type { Block } from './print/blocks.ts'
import type { Session } from './run-context.ts'
import type { SavedSession } from './session/stored-session.ts'

/** One option of a command, in the form of the parser: `--limit <n>`. */
export type Flag = {
  flags: string
  help: string
  /** The parameter of the service that has the value; absent: the command itself reads it. */
  parameter?: string
  /** How the text becomes a value. Default: it stays a text. */
  as?: 'whole' | 'number' | 'list' | 'repeated' | 'switch'
  choices?: readonly string[]
  /** Sent when the option is absent. */
  preset?: string | number
  required?: true
}

export type Argument = {
  name: string
  help: string
  optional?: true
  choices?: readonly string[]
  /** The name or id of a project that is there. */
  isProject?: true
}

/** What the caller has written: arguments and options by name, such as `NAME` and `userId`. */
export type Input = { args: Readonly<Record<string, string>>; options: Readonly<Record<string, unknown>> }

type Common = {
  /** One or two words: `stats`, `experiments list`. */
  name: string
  aliases?: readonly string[]
  summary: string
  args: readonly Argument[]
  flags: readonly Flag[]
  /**
   * Arguments after `footfall` that work as they stand: reads on the demo, changes with `--dry-run`, and what
   * a demo session may not read after a login.
   */
  example: string
  /** What it does to the data; absent: it only reads. The demo refuses everything else. */
  effect?: 'changes' | 'deletes' | 'local'
  /**
   * For commands with an effect: it prints a table, so --csv works. Without `hasTable`, --csv is refused
   * before anything is changed.
   */
  hasTable?: true
  /** What to say when a bound other than a limit of rows has cut the answer. */
  cut?: string
  group: 'Reports' | 'Projects' | 'Experiments' | 'Replays' | 'Account' | 'Tools'
}

/** A command of one call and one printer. */
export type CallCommand<Of extends Endpoint = Endpoint> = Common & {
  call(input: Input): Call<Of> | Promise<Call<Of>>
  print(
    answer: Answer<Of>,
    more: { input: Input; response: Response<Of>; stored(): SavedSession | undefined },
  ): Block[]
}

/** A command with a course of its own, such as a login. */
export type RunCommand = Common & { run(input: Input, session: Session): Promise<void> }

export type Command = CallCommand | RunCommand

/** Checks a command of one endpoint; the list of all commands forgets which one it is. */
export function callCommand<Of extends Endpoint>(command: CallCommand<Of>): CallCommand {
  return command as unknown as CallCommand
}

/** The project as first argument, which nearly all commands have. */
export const NAME: Argument = { name: 'NAME', help: 'name or id of the project', isProject: true }

export const SINCE: Flag = {
  flags: '--since <moment>',
  parameter: 'since',
  help: 'first date: 7d, or 2026-11-01',
}
export const UNTIL: Flag = {
  flags: '--until <moment>',
  parameter: 'until',
  help: 'last date (default: today)',
}
export const WHERE: Flag = {
  flags: '--where <json>',
  help: 'only what passes a condition as JSON: {"did":{"event":"purchase","at_least":2}}',
}
const FILTER: Flag = {
  flags: '--filter <filter>',
  as: 'repeated',
  help: 'only what passes: country=DE, properties.path^=/blog, properties["a.b"]=x, duration>60000, country:in:DE,AT; several must all hold; or JSON',
}
export const SEGMENT: Flag = {
  flags: '--segment <name>',
  as: 'repeated',
  help: 'only what passes a segment of the project (segments list); several must all hold',
}
export const TZ: Flag = {
  flags: '--tz <zone>',
  parameter: 'tz',
  help: 'time zone of the dates, such as Europe/Berlin (default: of the project, else UTC)',
}

/** Of a report that has totals. */
export const COMPARE: Flag = {
  flags: '--compare <range>',
  parameter: 'compare',
  help: 'beside another range: previous, year, or 2026-10-01..2026-10-31',
}

/** Which part of the traffic a report is about, and of which days. */
export const QUESTION: readonly Flag[] = [SINCE, UNTIL, TZ, FILTER, WHERE, SEGMENT]

export const days = (preset?: number): Flag => ({
  flags: '--days <n>',
  parameter: 'days',
  as: 'whole',
  help: `how many days back${preset === undefined ? '' : ` (default: ${preset})`}`,
})
export const limit = (preset: number, of: string): Flag => ({
  flags: '--limit <n>',
  parameter: 'limit',
  as: 'whole',
  help: `most ${of} (default: ${preset})`,
})

/**
 * The values of the options that name a parameter, under its name, and the condition of those that make one.
 * Throws CommandError for a condition that cannot be read.
 */
export function parametersOf(flags: readonly Flag[], { options }: Input): Values {
  const named = Object.fromEntries(
    flags
      .filter(({ parameter }) => parameter !== undefined)
      .map(flag => [flag.parameter as string, options[optionKey(flag)] ?? flag.preset]),
  )
  if (!flags.includes(WHERE)) return named
  const { where, filter, segment } = options
  return { ...named, where: conditionOf({ where, filter: flags.includes(FILTER) ? filter : [], segment }) }
}

/** The name under which the parser stores an option: `--user-id <id>` is `userId`. */
export function optionKey({ flags }: Pick<Flag, 'flags'>): string {
  const [, name = ''] = /--([a-z][a-z-]*)/.exec(flags) ?? []
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
}

type ReadEndpoint = Extract<Endpoint, `GET ${string}`>

/** A report of one project by GET: the argument NAME, the options as parameters of the same name. */
export function projectRead<Of extends ReadEndpoint>(
  read: Omit<CallCommand<Of>, 'args' | 'call' | 'group'> & { endpoint: Of },
): CallCommand {
  const { endpoint, ...command } = read
  return callCommand<Of>({
    ...command,
    group: 'Reports',
    args: [NAME],
    call: input => ({ endpoint, query: { project: input.args.NAME, ...parametersOf(read.flags, input) } }),
  } as CallCommand<Of>)
}
