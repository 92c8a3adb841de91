import { randomInt } from 'node:crypto'
import type { TestProject } from 'vitest/node'

const FIXED_SEED = 1

/** Global set-up: reads TEST_DEPTH and TEST_SEED once a run, prints them, and gives them to test/support/depth.ts. */
export default function provideRunSettings({ provide }: TestProject): void {
  const depth = positiveNumber('TEST_DEPTH') ?? 1
  const seed = positiveNumber('TEST_SEED') ?? (depth === 1 ? FIXED_SEED : randomInt(1, 2 ** 31))
  console.log(`Random tests: TEST_DEPTH=${depth} TEST_SEED=${seed}`)
  provide('depth', depth)
  provide('seed', seed)
}

function positiveNumber(name: string): number | undefined {
  const text = process.env[name]
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (value > 0) return value
  throw new Error(`${name} is "${text}". Set it to a positive number.`)
}
