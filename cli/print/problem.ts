import type { Problem } from '#cli/errors'
import type { Io } from '#cli/io'
import { cleanText } from '#core/text/clean-text'
import { safeJson } from './json.ts'

/** Longest line of an error, code points. */
const MAX_CHARS = 2_000

/** An error on stderr: one JSON object, or what is wrong and then what to do. */
export function printProblem(problem: Problem, { args, stderr }: Io): void {
  const text = args.includes('--json')
    ? safeJson(JSON.stringify(problem))
    : `${cleanText(problem.message, MAX_CHARS)}\n${cleanText(problem.suggested_action, MAX_CHARS)}`
  stderr.write(`${text}\n`)
}
