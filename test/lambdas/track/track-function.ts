import type { Caller } from '#core/access/caller'
import { createBotCounts } from '#core/ingest/bot-counts'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import { type RecordedEvent, type StreamRecord, unpackRecord } from '#core/ingest/record'
import { noLimits } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import { type TrackServices, trackHandler } from '#lambdas/track/handler'
import { routes } from '#schemas/routes'
import { testAccount, testCaller, testProject } from '#test/support/account-fixtures'
import { createFakeClock } from '#test/support/fake-clock'
import { readableEmails } from '#test/support/no-identity'

export const NOW = Date.UTC(2026, 10, 21, 12)
const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'

export const good = { token: 'aat_shop', event: 'signup' }

/** A caller of the account whose id the test sends as API key. */
function callerOf(accountId: string | undefined): Caller | null {
  if (accountId === undefined) return null
  return testCaller({ account: testAccount({ id: accountId }) })
}

/** The track function with services that remember what it appended. */
export function trackFunction(overrides: Partial<TrackServices> = {}, projects: Project[] = [testProject()]) {
  const packed: Uint8Array[] = []
  const stream = {
    append: async (records: readonly Uint8Array[]) => {
      packed.push(...records)
    },
  }
  const botCounts = createBotCounts({ stream, clock: createFakeClock(NOW), hasTimer: true })
  const handler = trackHandler({
    stream,
    botCounts,
    projects: { byToken: async token => projects.find(one => one.project_token === token) ?? null },
    country: ip => (ip === '192.0.2.1' ? 'NL' : null),
    countryHeader: null,
    bots: createBotClassifier(),
    findCaller: async ({ headers }) => callerOf(headers['x-api-key']),
    limits: noLimits,
    emails: readableEmails,
    clock: { now: () => NOW },
    ids: createArrivalOrder({ random: () => 3 }),
    log: () => {},
    ...overrides,
  })
  const send = async (
    path: '/track' | '/track/batch' | '/identify',
    body: unknown,
    { headers = {}, ip = null }: { headers?: Record<string, string>; ip?: string | null } = {},
  ) => {
    const bytes =
      body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const route = { '/track': routes.track, '/track/batch': routes.trackBatch, '/identify': routes.identify }[
      path
    ]
    const answer = await handler(route, {
      method: 'POST',
      path,
      params: {},
      query: {},
      headers: { 'user-agent': CHROME, ...headers },
      body: bytes,
      ip,
    })
    return { status: answer.status, headers: answer.headers, body: JSON.parse(String(answer.body)) }
  }
  const records = (): StreamRecord[] => packed.map(unpackRecord)
  const events = (): RecordedEvent[] =>
    records().flatMap(record => (record.kind === 'events' ? record.events : []))
  return { send, records, events, packed, botCounts }
}
