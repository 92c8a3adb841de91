import { readFileSync } from 'node:fs'
import type { LogCode } from '#schemas/log'
import type { World } from '../world.ts'

/** What the checks bring about themselves. */
const EXPECTED: readonly LogCode[] = ['STREAM_UNAVAILABLE', 'LAKE_BATCH_FAILED', 'RECORD_QUARANTINED']

/** What a function that ends by itself, or is ended, leaves in the emulator's log. */
const ENDED = /Task timed out|Runtime\.\w+|UnhandledPromiseRejection|heap out of memory/

/** No function has logged a defect of ours, was cut off, or fell over. */
export async function functionLogs({ ministack }: World): Promise<string> {
  const lines = readFileSync(ministack.logFile, 'utf8').split('\n')
  const errors = lines.filter(line => line.startsWith('{"level":"ERROR"'))
  const codes = errors.map(line => (JSON.parse(line) as { code: LogCode }).code)
  const bad = [
    ...errors.filter((_, i) => !EXPECTED.includes(codes[i] as LogCode)),
    ...lines.filter(line => ENDED.test(line)),
  ]
  if (bad.length > 0) throw new Error(bad.slice(0, 5).join('\n').slice(0, 4_000))
  const counts = EXPECTED.map(code => `${codes.filter(found => found === code).length} ${code}`)
  return `of those that were brought about: ${counts.join(', ')}`
}
