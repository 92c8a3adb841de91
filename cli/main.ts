import { type Command, CommanderError } from 'commander'
import type { Command as Named } from './command.ts'
import { commands } from './commands/all.ts'
import { CommandError, type Problem } from './errors.ts'
import { printHelp } from './help.ts'
import type { Io } from './io.ts'
import { printProblem } from './print/problem.ts'
import { createProgram, globalFlags } from './program.ts'
import { runCommand } from './run.ts'
import { VERSION } from './version.ts'

/**
 * Runs the command line in the world `io`. Resolves with the exit code: 0 if the command is done, 1 after an
 * error, or the code of a program that ran in its place.
 */
export async function main(io: Io): Promise<number> {
  const { args, stdout } = io
  let exitCode = 0
  const program = createProgram(commands, VERSION, stdout, {
    async run(command, input, globals) {
      exitCode = await runCommand(io, command, input, globals)
    },
    printHelp: (parser, names, asJson) => printHelp(io, parser, commands, names, asJson),
  })
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
    return exitCode
  } catch (error) {
    const problem = asProblem(error, program, args)
    if (problem === null) return 0
    printProblem(problem, io)
    return 1
  }
}

/** Null: help and version end the parser as an error does. */
function asProblem(error: unknown, program: Command, argv: readonly string[]): Problem | null {
  if (error instanceof CommandError) return error.problem
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null
    const usage = error.code === 'commander.help' ? halfCommand(program, argv) : parserProblem(error, argv)
    return { error: 'USAGE', retryable: false, ...usage }
  }
  const detail = error instanceof Error ? error.message : String(error)
  return {
    error: 'INTERNAL_ERROR',
    message: `The command line has a bug: ${detail}`,
    suggested_action: 'Repeat it with --json, and report it.',
    retryable: false,
  }
}

function parserProblem(
  { message }: CommanderError,
  argv: readonly string[],
): Pick<Problem, 'message' | 'suggested_action'> {
  const text = message
    .replace(/^error: /, '')
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
    .join(' ')
  const command = writtenCommand(argv)
  return {
    message: text.charAt(0).toUpperCase() + text.slice(1),
    suggested_action:
      command === undefined
        ? 'See footfall --help.'
        : `For example: footfall ${command.example} (all options: footfall ${command.name} --help)`,
  }
}

/** The command that the caller meant. Its words are the first ones that are not options. */
function writtenCommand(argv: readonly string[]): Named | undefined {
  const [first = '', second = ''] = wordsOf(argv)
  const named = (words: string) => commands.find(each => namesOf(each).includes(words))
  return named(`${first} ${second}`) ?? named(first)
}

/** The words without options, and without the values of the options that every command has. */
function wordsOf(argv: readonly string[]): string[] {
  const takesValue = (word: string | undefined) =>
    globalFlags.some(({ flags }) => flags.includes('<') && flags.split(' ')[0] === word)
  return argv.filter((word, i) => !word.startsWith('-') && !takesValue(argv[i - 1]))
}

const namesOf = ({ name, aliases = [] }: Named) => [name, ...aliases]

/** Of `experiments list` the caller has written only the first word. */
function halfCommand(
  program: Command,
  argv: readonly string[],
): Pick<Problem, 'message' | 'suggested_action'> {
  const half = program.commands.find(command => command.name() === wordsOf(argv)[0])
  if (half === undefined)
    return { message: 'A command is missing.', suggested_action: 'See footfall --help.' }
  const names = half.commands.map(command => `footfall ${half.name()} ${command.name()}`)
  return { message: 'A word of the command is missing.', suggested_action: `Use ${names.join(', ')}.` }
}
