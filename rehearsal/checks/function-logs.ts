import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { World } from '#rehearsal/world'
import type { LogCode } from '#schemas/log'
import { expectEqual } from './check.ts'

/** Codes that the checks cause on purpose. */
const CAUSED_CODES: readonly LogCode[] = ['STREAM_UNAVAILABLE', 'LAKE_BATCH_FAILED', 'RECORD_QUARANTINED']

/** The job that takes records back may run while broken-consumer.ts takes away the right to the S3 bucket. */
function isTakeBackWithoutRight({ code, job, error }: ErrorLine): boolean {
  return code === 'JOB_FAILED' && job === 'take back' && error?.startsWith('AccessDenied') === true
}

/**
 * A new environment of the function `jobs` empties its folder. Those of the emulator share one, so it takes
 * the files of another. The job is tried again.
 */
function isOfSharedFolder({ code, error }: ErrorLine): boolean {
  return code === 'JOB_FAILED' && /No files found that match .*\/tmp\/compaction\//.test(error ?? '')
}

type ErrorLine = { code: LogCode; job?: string; error?: string }

/** Log lines of a function that crashed or timed out. */
const CRASH = /Task timed out|Runtime\.\w+|UnhandledPromiseRejection|heap out of memory/

/** Keys, tokens, codes and viewer secrets of callers; project tokens (aat_) are public. */
const SECRET = /aa(k|s|r|p|e|c|b|v)_[0-9a-f]{32,}/

/**
 * Expects that no function has logged an unexpected error or a secret, timed out or crashed. Expects each of
 * the codes `caused`.
 */
export async function functionLogs(
  { aws, stack }: World,
  caused: readonly LogCode[] = CAUSED_CODES,
): Promise<string> {
  const lines: string[] = []
  for (const { logGroup } of Object.values(stack.functions)) lines.push(...(await readLines(aws, logGroup)))
  const errors = lines
    .filter(line => line.startsWith('{"level":"ERROR"'))
    .map(line => ({ line, error: JSON.parse(line) as ErrorLine }))
    .filter(({ error }) => !isTakeBackWithoutRight(error) && !isOfSharedFolder(error))
  const codes = errors.map(({ error }) => error.code)
  const unexpectedLines = [
    ...errors.filter(({ error }) => !caused.includes(error.code)).map(({ line }) => line),
    ...lines.filter(line => CRASH.test(line)),
    ...lines.filter(line => SECRET.test(line)).map(line => line.replace(SECRET, 'a secret')),
  ]
  if (unexpectedLines.length > 0) throw new Error(unexpectedLines.slice(0, 5).join('\n').slice(0, 4_000))
  expectEqual(
    caused.filter(code => !codes.includes(code)),
    [],
    'codes that are missing in the logs',
  )
  return `${lines.length} lines, with ${codes.length} expected errors: ${caused.join(', ')}`
}

/** Reads the lines of a log group. A message may hold several lines. */
async function readLines({ logs }: World['aws'], logGroupName: string): Promise<string[]> {
  const lines: string[] = []
  for (let nextToken: string | undefined; ; ) {
    const page = await logs.send(new FilterLogEventsCommand({ logGroupName, nextToken }))
    for (const { message = '' } of page.events ?? []) lines.push(...message.split('\n'))
    if (page.nextToken === undefined) return lines
    nextToken = page.nextToken
  }
}
