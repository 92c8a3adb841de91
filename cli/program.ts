import { Argument, Help, InvalidArgumentError, Option, Command as Parser } from 'commander'
import type { Command, Flag, Input } from './command.ts'
import type { Output } from './io.ts'
import type { Globals } from './run-context.ts'

/** What the parser calls when it has understood the words. */
export type Actions = {
  run(command: Command, input: Input, globals: Globals): Promise<void>
  printHelp(program: Parser, names: readonly string[], asJson: boolean): void
}

/** The options of every command, as texts for help and completion. */
export const globalFlags: readonly Flag[] = [
  { flags: '--json', help: 'the raw response; errors as one object on stderr' },
  { flags: '--csv', help: 'the main table as CSV' },
  { flags: '--table <name>', help: 'with --csv: another table of the report' },
  { flags: '--fields <names>', help: 'only these columns, or with --json these fields: totals,events.event' },
  {
    flags: '--base-url <address>',
    help: 'the service (default: AA_BASE_URL, the last login, the service of this machine)',
  },
  { flags: '--insecure', help: 'allow http to another machine: who is on the way can read the tokens' },
  { flags: '--config-dir <folder>', help: 'where the session is stored' },
  { flags: '--demo', help: 'read the demo project without signing in; changes nothing' },
]

/**
 * The parser of all commands. It writes help and version to `stdout`. It never ends the process: it throws
 * CommanderError.
 */
export function createProgram(
  commands: readonly Command[],
  version: string,
  stdout: Output,
  { run, printHelp }: Actions,
): Parser {
  const program = new Parser('footfall')
    .description('Web analytics from the command line. Try: footfall --demo stats demo')
    .version(version, '-v, --version')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeErr() {},
      writeOut: text => void stdout.write(text),
      getOutHelpWidth: () => (stdout.isTTY ? stdout.columns : undefined) as number,
    })
    .showSuggestionAfterError()
    .configureHelp({ formatHelp: commandsFirst, subcommandTerm, subcommandDescription })
  addGlobals(program)
  for (const command of commands) addCommand(parentOf(program, command), command, run)
  addHelp(program, names => printHelp(program, names, program.opts<Globals>().json === true))
  return program
}

/** Options that every command has come last, because they are the same everywhere. */
function commandsFirst(parser: Parser, help: Help): string {
  const sections = Help.prototype.formatHelp.call(help, parser, help).trimEnd().split('\n\n')
  const isLast = (section: string) => section.startsWith(parser.parent === null ? 'Options:' : 'Everywhere:')
  const general = sections.filter(section => isLast(section) || section.startsWith('Everywhere:'))
  return `${[...sections.filter(section => !general.includes(section)), ...general].join('\n\n')}\n`
}

/** All commands have options, so the list does not say it of each. */
function subcommandTerm(parser: Parser): string {
  const args = parser.registeredArguments.map(argument => {
    const word = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${word}>` : `[${word}]`
  })
  return [[parser.name(), ...parser.aliases()].join('|'), ...args].join(' ')
}

function subcommandDescription(parser: Parser): string {
  const names = parser.commands.map(child => child.name())
  return names.length === 0 ? parser.description() : names.join(', ')
}

/** `experiments list` stands below `experiments`. */
function parentOf(program: Parser, { name, group }: Command): Parser {
  const [parentName, child] = name.split(' ')
  if (child === undefined) return program
  const known = program.commands.find(each => each.name() === parentName)
  if (known !== undefined) return known
  const parent = program
    .command(parentName as string)
    .helpGroup(`${group}:`)
    .description(`Commands of ${parentName}`)
  return inherited(parent)
}

function addCommand(parent: Parser, command: Command, run: Actions['run']): void {
  const parser = inherited(parent.command(command.name.split(' ').at(-1) as string))
    .description(command.summary)
    .summary(command.summary)
    .helpGroup(`${command.group}:`)
    .aliases([...(command.aliases ?? [])])
    .addHelpText(
      'after',
      `\n${needsSignIn(command) ? 'Example, after footfall login' : 'Example'}:\n  footfall ${command.example}`,
    )
  for (const { name, help, optional, choices } of command.args) {
    const argument = new Argument(optional ? `[${name}]` : `<${name}>`, help)
    parser.addArgument(choices === undefined ? argument : argument.choices([...choices]))
  }
  for (const flag of [...command.flags, ...guardsOf(command)]) parser.addOption(optionOf(flag))
  addGlobals(parser)
  parser.action(async () => {
    const globals = globalsOf(parser)
    const args = Object.fromEntries(
      command.args.flatMap(({ name }, i) => (parser.args[i] === undefined ? [] : [[name, parser.args[i]]])),
    )
    await run(command, { args, options: parser.opts() }, globals)
  })
}

/** Whether the example reads what a demo session has not: portfolios and replays. */
export function needsSignIn({ example, effect, group }: Command): boolean {
  const asksNothing = example.includes('--dry-run') || group === 'Tools' || group === 'Account'
  return !example.startsWith('--demo ') && !asksNothing && effect !== 'changes' && effect !== 'deletes'
}

function addHelp(program: Parser, print: (names: string[]) => void): void {
  inherited(program.command('help [command...]'))
    .description('This help, or that of a command; with --json as data')
    .helpGroup('Tools:')
    .option('--json', 'as data')
    .action((names: string[], options: Globals) => {
      if (options.json) program.setOptionValue('json', true)
      print(names)
    })
}

/** What every changing command has. A login is none: it changes nothing that somebody could lose. */
export function guardsOf(command: Command): Flag[] {
  if (!('call' in command) || command.effect === undefined || command.effect === 'local') return []
  const dryRun: Flag = {
    flags: '--dry-run',
    as: 'switch',
    help: 'prints what would be sent, and sends nothing',
  }
  const confirm: Flag = { flags: '--confirm', as: 'switch', help: 'deletes it' }
  return command.effect === 'deletes' ? [dryRun, confirm] : [dryRun]
}

function inherited(parser: Parser): Parser {
  return parser.exitOverride().showSuggestionAfterError().helpCommand(false)
}

function addGlobals(parser: Parser): void {
  for (const { flags, help } of globalFlags) {
    const option = new Option(flags, help).helpGroup('Everywhere:')
    parser.addOption(flags.startsWith('--fields') ? option.argParser(listOf) : option)
  }
}

function globalsOf(parser: Parser): Globals {
  return parser.optsWithGlobals() as Globals
}

function optionOf(flag: Flag): Option {
  const option = new Option(flag.flags, flag.help)
  if (flag.choices !== undefined) option.choices([...flag.choices])
  if (flag.required === true) option.makeOptionMandatory()
  const parse = flag.as === undefined ? undefined : parsers[flag.as]
  return parse === undefined ? option : option.argParser(parse as (text: string, before: unknown) => unknown)
}

const parsers: Partial<Record<NonNullable<Flag['as']>, (text: string, before?: string[]) => unknown>> = {
  whole(text) {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It takes a whole number.')
    return Number(text)
  },
  number(text) {
    if (!/^\d{1,9}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('It takes a number.')
    return Number(text)
  },
  list: listOf,
  repeated: (text, before = []) => [...before, text],
}

function listOf(text: string): string[] {
  const names = splitNames(text).map(name => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('It takes names with commas between them.')
  return names
}

/**
 * Commas within braces and brackets are of JSON, as in `rate({"field":"event","op":"eq","value":"signup"})`.
 */
function splitNames(text: string): string[] {
  const names: string[] = []
  let depth = 0
  for (const part of text.split(',')) {
    if (depth > 0) names.push(`${names.pop()},${part}`)
    else names.push(part)
    depth += part.split(/[{[]/).length - part.split(/[}\]]/).length
  }
  return names
}
