import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { runStep, type StepResult } from './run-step.ts'
import { faultsOfSteps, STEPS } from './steps.ts'
import { filesToRepeat, verdictLines } from './verdict.ts'

/**
 * Runs all steps of `.ci/run`, and then the test files that failed once more. Exits with 1 if a step failed.
 */
async function main(): Promise<void> {
  const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'))
  const faults = faultsOfSteps(manifest.scripts)
  const folder = mkdtempSync(join(tmpdir(), 'footfall-ci-'))
  try {
    const results: StepResult[] = []
    for (const step of STEPS) {
      console.log(`\n== ${step.name} (npm run ${step.script})`)
      const result = await runStep(step, folder)
      console.log(`== ${step.name}: ${result.passed ? 'passed' : 'FAILED'} in ${result.seconds} s`)
      results.push(result)
    }
    const repeated = new Map<string, StepResult>()
    for (const { step, file } of results.flatMap(filesToRepeat)) {
      console.log(`\n== ${file} once more, alone`)
      repeated.set(file, await runStep(step, folder, [file]))
    }
    const { lines, passed } = verdictLines(faults, results, repeated)
    console.log(`\n${lines.join('\n')}`)
    process.exitCode = passed ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
