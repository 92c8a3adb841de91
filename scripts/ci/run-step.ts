import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FailedFiles, REPORT_VARIABLE } from './failed-files.ts'
import type { Step } from './steps.ts'

export type StepResult = {
  step: Step
  passed: boolean
  /** The end of its output. */
  tail: string[]
  seconds: number
  /** What its test files did. Null: it has none, or it ended before it could say. */
  failed: FailedFiles | null
}

/** Lines of a failed step that are printed again at the end, because a record of a run keeps only its end. */
const TAIL_LINES = 60
/** Longest wait for the last lines of a step that has ended. */
const LAST_LINES_MS = 2_000
const REPORTER = join(import.meta.dirname, 'failed-files.ts')

/**
 * Runs a step to its end, with its output on stdout. `files`: only these test files. `folder` takes its
 * reports.
 */
export async function runStep(
  step: Step,
  folder: string,
  files: readonly string[] = [],
): Promise<StepResult> {
  const startedAt = Date.now()
  const report = join(folder, `${step.script.replace(':', '-')}-${startedAt}.json`)
  const args = step.hasTests ? ['--', '--reporter=default', `--reporter=${REPORTER}`, ...files] : []
  const env = { ...process.env, ...step.env, [REPORT_VARIABLE]: report }
  const { passed, tail } = await runToEnd('npm', ['run', '--silent', step.script, ...args], env)
  return {
    step,
    passed,
    tail,
    seconds: Math.round((Date.now() - startedAt) / 1_000),
    failed: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null,
  }
}

/** Resolves at the end of the process, also when something that it left behind keeps the output open. */
function runToEnd(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ passed: boolean; tail: string[] }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let lines: string[] = []
    const keep = (chunk: Buffer) => {
      process.stdout.write(chunk)
      const [first = '', ...others] = chunk.toString().split('\n')
      lines = [...lines.slice(0, -1), (lines.at(-1) ?? '') + first, ...others].slice(-TAIL_LINES - 1)
    }
    for (const pipe of [child.stdout, child.stderr]) pipe.on('data', keep)
    child.on('error', reject)
    child.on('exit', code => {
      const end = () => resolve({ passed: code === 0, tail: lines })
      // `close` follows the last line of the output. A process that the step left behind would delay it.
      child.on('close', end)
      setTimeout(end, LAST_LINES_MS).unref()
    })
  })
}
