import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import type { LogCode } from '#schemas/log'
import type { World } from '../world.ts'
import { expectEqual } from './check.ts'

/** What the checks bring about themselves. */
const EXPECTED: readonly LogCode[] = ['STREAM_UNAVAILABLE', 'LAKE_BATCH_FAILED', 'RECORD_QUARANTINED']

/** A function that ended by itself, or was ended. */
const ENDED = /Task timed out|Runtime\.\w+|UnhandledPromiseRejection|heap out of memory/

/** No function has logged a defect of ours, was cut off, or fell over; what was brought about stands in the logs. */
export async function functionLogs({ aws, stack }: World): Promise<string> {
  const lines: string[] = []
  for (const { logGroup } of Object.values(stack.functions)) lines.push(...(await linesOf(aws, logGroup)))
  const errors = lines.filter(line => line.startsWith('{"level":"ERROR"'))
  const codes = errors.map(line => (JSON.parse(line) as { code: LogCode }).code)
  const bad = [
    ...errors.filter((_, i) => !EXPECTED.includes(codes[i] as LogCode)),
    ...lines.filter(line => ENDED.test(line)),
  ]
  if (bad.length > 0) throw new Error(bad.slice(0, 5).join('\n').slice(0, 4_000))
  expectEqual(
    EXPECTED.filter(code => !codes.includes(code)),
    [],
    'codes that should stand in the logs',
  )
  return `${lines.length} lines; brought about: ${codes.length} errors of ${EXPECTED.join(', ')}`
}

/** The lines of a group. A message may hold several. */
async function linesOf({ logs }: World['aws'], logGroupName: string): Promise<string[]> {
  const lines: string[] = []
  for (let nextToken: string | undefined; ; ) {
    const page = await logs.send(new FilterLogEventsCommand({ logGroupName, nextToken }))
    for (const { message = '' } of page.events ?? []) lines.push(...message.split('\n'))
    if (page.nextToken === undefined) return lines
    nextToken = page.nextToken
  }
}
