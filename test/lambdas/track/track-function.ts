import type { Caller } from '#core/access/caller'
import { createBotCounts } from '#core/ingest/bot-counts'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import { type RecordedEvent, type StreamRecord, unpackRecord } from '#core/ingest/record'
import type { Refusal } from '#core/ingest/refusal-counts'
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

/** A caller of the account whose id the test sends as API key; nobody for `revoked`. */
async function callerOf(accountId: string): Promise<Caller | null> {
  if (accountId === 'revoked') return null
  return testCaller({ account: testAccount({ id: accountId }) })
}

const ROUTES = {
  '/track': routes.track,
  '/track/batch': routes.trackBatch,
  '/track/check': routes.checkTrack,
  '/identify': routes.identify,
}

/** The track function with services that remember what it appended. */
export function trackFunction(overrides: Partial<TrackServices> = {}, projects: Project[] = [testProject()]) {
  const packed: Uint8Array[] = []
  const refused: (Refusal & { project: string })[] = []
  const stream = {
    append: async (records: readonly Uint8Array[]) => {
      packed.push(...records)
    },
  }
  const botCounts = createBotCounts({ stream, clock: createFakeClock(NOW), hasTimer: true })
  const handler = trackHandler({
    stream,
    botCounts,
    refusals: { count: async (project, refusal) => void refused.push({ project, ...refusal }) },
    projects: { byToken: async token => projects.find(one => one.project_token === token) ?? null },
    country: ip => (ip === '192.0.2.1' ? 'NL' : null),
    countryHeader: null,
    bots: createBotClassifier(),
    findCaller: ({ headers: { 'x-api-key': key } }) => (key === undefined ? undefined : callerOf(key)),
    limits: noLimits,
    emails: readableEmails,
    clock: { now: () => NOW },
    ids: createArrivalOrder({ random: () => 3 }),
    log: () => {},
    ...overrides,
  })
  const send = async (
    path: keyof typeof ROUTES,
    body: unknown,
    { headers = {}, ip = null }: { headers?: Record<string, string>; ip?: string | null } = {},
  ) => {
    const bytes =
      body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const answer = await handler(ROUTES[path], {
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
  return { send, records, events, packed, botCounts, refused }
}
