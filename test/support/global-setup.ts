import { randomInt } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

/** The seed of `npm test`. Any number would do. */
const FIXED_SEED = 1

/**
 * Runs once before all test files. Reads TEST_DEPTH and TEST_SEED and prints them (see depth.ts), and creates the folder
 * that all workers share (see once-a-run.ts). The returned function deletes the folder after the run.
 */
export default async function globalSetup({ provide }: TestProject): Promise<() => Promise<void>> {
  const depth = positiveNumber('TEST_DEPTH') ?? 1
  const seed = positiveNumber('TEST_SEED') ?? (depth === 1 ? FIXED_SEED : randomInt(1, 2 ** 31))
  console.log(`Random tests: TEST_DEPTH=${depth} TEST_SEED=${seed}`)
  provide('depth', depth)
  provide('seed', seed)

  provide('cacheFolder', tmpdir())
  const runFolder = await mkdtemp(join(tmpdir(), 'footfall-run-'))
  provide('runFolder', runFolder)
  // Temporary files of all workers go below the run's folder. So none are left behind, even by a killed test.
  process.env.TMPDIR = runFolder
  return () => rm(runFolder, { recursive: true, force: true, maxRetries: 5 })
}

function positiveNumber(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`${name} is "${text}". Set it to a positive number.`)
}
