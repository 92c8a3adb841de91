import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { createRunFolder } from './run-folder.ts'
import { endProcesses } from './run-processes.ts'

/** The seed of `npm test`. Any number would do. */
const FIXED_SEED = 1

/**
 * Compiled modules, which Node keeps between runs for the workers, their threads and the services that they
 * start. Without it each of them compiles hundreds of modules again.
 */
const COMPILE_CACHE = resolve(import.meta.dirname, '../../node_modules/.cache/footfall-compile')

/** Longest run at depth 1. An idle machine with two cores needs a tenth of it. */
const RUN_LIMIT_MS = 30 * 60_000

/**
 * Runs once before all test files. Reads TEST_DEPTH and TEST_SEED and prints them (see depth.ts), and creates
 * the folder that all workers share (see once-a-run.ts). Ends a run that hangs. The returned function ends
 * the processes that are left, and deletes the folder after the run.
 */
export default async function globalSetup({ provide, config }: TestProject): Promise<() => Promise<void>> {
  const depth = positiveNumber('TEST_DEPTH') ?? 1
  const seed = positiveNumber('TEST_SEED') ?? (depth === 1 ? FIXED_SEED : randomInt(1, 2 ** 31))
  console.log(`Random tests: TEST_DEPTH=${depth} TEST_SEED=${seed}`)
  provide('depth', depth)
  provide('seed', seed)

  provide('cacheFolder', tmpdir())
  const runFolder = createRunFolder()
  provide('runFolder', runFolder)
  // Temporary files of all workers go below the run's folder. So none are left behind, even by a killed test.
  process.env.TMPDIR = runFolder
  process.env.NODE_COMPILE_CACHE = COMPILE_CACHE
  if (!config.watch) endHungRun(RUN_LIMIT_MS * Math.max(1, Math.log2(depth)))
  return () => {
    endProcesses(runFolder)
    return rm(runFolder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/**
 * Ends the run with a failure after `limitMs`. Vitest ends a test that waits too long, but it waits forever
 * for a worker whose thread is blocked.
 */
function endHungRun(limitMs: number): void {
  setTimeout(() => {
    console.error(
      `The tests did not end within ${limitMs / 60_000} minutes. The last lines above show where they hang.`,
    )
    // A blocked worker does not notice the end of this process, so it is killed. `-P` names the parent of the
    // workers.
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)])
    process.exit(1)
  }, limitMs).unref()
}

function positiveNumber(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`${name} is "${text}". Set it to a positive number.`)
}
