import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GeneratedLakeOptions, generateLake } from './generated-lake.ts'

/** The folder of the generated lakes. */
export const LAKES = join(tmpdir(), 'footfall-bench')

/**
 * The data folder of a generated lake, which benches of one day share: the traffic ends when it was
 * generated. Those of earlier days are deleted.
 */
export async function cachedLake({
  events,
  projects,
  eventsWithIds,
}: Omit<GeneratedLakeOptions, 'reportProgress'>): Promise<string> {
  const today = new Date().toISOString().slice(0, 10)
  const folder = join(LAKES, `reads-${events}-${projects}-${eventsWithIds}-${today}`)
  mkdirSync(LAKES, { recursive: true })
  for (const name of readdirSync(LAKES)) {
    if (name.startsWith('reads-') && !name.endsWith(today)) rmSync(join(LAKES, name), { recursive: true })
  }
  if (existsSync(folder)) return folder
  const started = performance.now()
  const reportProgress = (text: string) => process.stdout.write(`\r\x1b[KGenerating the lake: ${text}`)
  await generateLake(folder, { events, eventsWithIds, projects, reportProgress })
  console.log(`\nGenerated in ${Math.round((performance.now() - started) / 1_000)} s`)
  return folder
}

/** Reads a number of events such as `500k`. */
export function parseCount(text: string): number {
  const match = /^(\d+)([kM]?)$/.exec(text)
  if (match === null) throw new Error(`--events must be a number such as 500k or 10M, not ${text}.`)
  return Number(match[1]) * { '': 1, k: 1_000, M: 1_000_000 }[match[2] as '' | 'k' | 'M']
}
