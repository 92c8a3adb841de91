import { constants } from 'node:os'
import { CommanderError } from 'commander'
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
  process.on('SIGINT', () => process.exit(128 + constants.signals.SIGINT))
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  }
  const program = createProgram(commands, VERSION, runCommand, printHelp)
  try {
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' })
  } catch (error) {
    const problem = asProblem(error)
    if (problem === null) return
    printProblem(problem, argv.includes('--json'))
    process.exitCode = 1
  }
}

/** Null: help and version end the parser as an error does. */
function asProblem(error: unknown): Problem | null {
  if (error instanceof CommandError) return error.problem
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null
    return {
      error: 'USAGE',
      message: error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '),
      suggested_action: 'See footfall --help, or footfall COMMAND --help.',
      retryable: false,
    }
  }
  const detail = error instanceof Error ? error.message : String(error)
  return {
    error: 'INTERNAL_ERROR',
    message: `The command line has a bug: ${detail}`,
    suggested_action: 'Repeat it with --json, and report it.',
    retryable: false,
  }
}

await main()
