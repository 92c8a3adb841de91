import { constants } from 'node:os'
import { type Command, CommanderError } from 'commander'
import type { Command as Named } from './command.ts'
import { commands } from './commands/all.ts'
import { CommandError, type Problem } from './errors.ts'
import { printHelp } from './help.ts'
import { printProblem } from './print/problem.ts'
import { createProgram } from './program.ts'
import { runCommand } from './run.ts'
import { VERSION } from './version.ts'

/** 0: done. 1: any error. 130: interrupted. A reader that ends early, such as `head`, is no error. */
async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  // An exit through process.exit restores the terminal.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(128 + constants.signals[signal]))
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  }
  const program = createProgram(commands, VERSION, runCommand, printHelp)
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' })
  } catch (error) {
    const problem = asProblem(error, program, argv)
    if (problem === null) return
    printProblem(problem, argv.includes('--json'))
    process.exitCode = 1
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
  const text = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  const command = writtenCommand(argv)
  return {
    message: text.charAt(0).toUpperCase() + text.slice(1),
    suggested_action:
      command === undefined
        ? 'See footfall --help.'
        : `For example: footfall ${command.example} (all options: footfall ${command.name} --help)`,
  }
}

/** The command that the caller has begun, wherever its options stand. */
function writtenCommand(argv: readonly string[]): Named | undefined {
  const written = argv.flatMap((word, i) => [`${word} ${argv[i + 1]}`, word])
  const found = written.find(words => commands.some(each => namesOf(each).includes(words)))
  return commands.find(each => found !== undefined && namesOf(each).includes(found))
}

const namesOf = ({ name, aliases = [] }: Named) => [name, ...aliases]

/** Of `experiments list` the caller has written only the first word. */
function halfCommand(
  program: Command,
  argv: readonly string[],
): Pick<Problem, 'message' | 'suggested_action'> {
  const half = program.commands.find(command => argv.includes(command.name()))
  const names = half?.commands.map(command => `footfall ${half.name()} ${command.name()}`) ?? []
  return { message: 'A word of the command is missing.', suggested_action: `Use ${names.join(', ')}.` }
}

await main()
