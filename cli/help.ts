import type { Command as Parser } from 'commander'
import { nearestName } from '#core/text/nearest-name'
import type { Command, Flag } from './command.ts'
import { type CommandError, usage } from './errors.ts'
import type { Io } from './io.ts'
import { globalFlags, guardsOf } from './program.ts'

/** Prints the help of the program or of one command; with `asJson` as data, which an agent reads once. */
export function printHelp(
  { stdout }: Io,
  program: Parser,
  commands: readonly Command[],
  names: readonly string[],
  asJson: boolean,
): void {
  const asked = names.join(' ')
  if (asJson) {
    const chosen = commands.filter(
      ({ name }) => asked === '' || name === asked || name.startsWith(`${asked} `),
    )
    if (chosen.length === 0) throw unknownCommand(asked, commands)
    const help = {
      usage: 'footfall COMMAND [arguments] [options]',
      options: globalFlags.map(flagData),
      commands: chosen.map(commandData),
    }
    stdout.write(`${JSON.stringify(help)}\n`)
    return
  }
  let parser: Parser | undefined = program
  for (const name of names)
    parser = parser?.commands.find(each => each.name() === name || each.aliases().includes(name))
  if (parser === undefined) throw unknownCommand(asked, commands)
  parser.outputHelp()
}

function commandData(command: Command) {
  const { name, aliases = [], summary, args, flags, example, effect, group } = command
  return {
    ...{ name, aliases, summary, group, effect: effect ?? 'reads', example: `footfall ${example}` },
    arguments: args.map(each => ({ name: each.name, help: each.help, required: each.optional !== true })),
    options: [...flags, ...guardsOf(command)].map(flagData),
  }
}

function flagData({ flags, help, choices, required }: Flag) {
  return { flags, help, ...(choices !== undefined && { choices }), ...(required && { required }) }
}

function unknownCommand(name: string, commands: readonly Command[]): CommandError {
  const near = nearestName(
    name,
    commands.map(command => command.name),
  )
  return usage(
    `There is no command ${name}.`,
    near === null ? 'See footfall --help.' : `Did you mean footfall help ${near}? See footfall --help.`,
  )
}
