import { randomBytes } from 'node:crypto'
import { noLimits } from '#core/accounts/limits'
import { createAccountStore } from '#core/accounts/store'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import type { Project } from '#core/projects/project'
import { createProjectStore } from '#core/projects/store'
import { createUsageStore } from '#core/usage/store'
import { controlHandler } from '#lambdas/control/handler'
import { reportsHandler } from '#lambdas/reports/handler'
import { siteHandler } from '#lambdas/site/handler'
import { trackHandler } from '#lambdas/track/handler'
import { startHttp } from '#local/http/server'
import { errorCodes } from '#schemas/errors'
import { errorsOf, type Route } from '#schemas/routes'
import { memoryLakeState } from './memory-lake-state.ts'
import { openTestState } from './state.ts'

export const BASE_URL = 'https://footfall.example'
/** 2026-11-21, noon UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12)

export type Sent = {
  /** For the path's parameters; the first one is `id`. */
  id?: string
  query?: Record<string, string>
  /** An API key for the header; null sends none. Default: our own account's. */
  key?: string | null
  headers?: Record<string, string>
  /** JSON unless it is bytes. */
  body?: unknown
}

export type Answered = { status: number; headers: Headers; body: Record<string, unknown>; text: string }

/**
 * All HTTP functions behind the local front, on a state of their own: the real chain, accounts, projects and usage, a
 * stream that keeps what it gets, and an empty lake. Two accounts: ours and a stranger's.
 */
export async function openHttpWorld() {
  const state = await openTestState()
  const clock = { now: () => NOW }
  const accounts = createAccountStore({ ...state, clock })
  const usage = createUsageStore(state)
  const projects = createProjectStore({ ...state, clock, usage })
  const logged: { code: string; fields: unknown }[] = []
  const log = (code: string, fields?: unknown) => void logged.push({ code, fields })
  const stored: Uint8Array[] = []
  const common = { accounts, projects, usage, limits: noLimits, baseUrl: BASE_URL, clock, log }
  const front = await startHttp({
    port: 0,
    log,
    functions: {
      site: siteHandler({
        tracker: { code: 'small', source: 'readable', sha256: '0a' },
        baseUrl: BASE_URL,
        log,
      }),
      control: controlHandler(common),
      reports: reportsHandler({ ...common, engine: { rows: async () => [] }, lakeState: memoryLakeState() }),
      track: trackHandler({
        stream: { append: async records => void stored.push(...records) },
        projects,
        country: () => null,
        countryHeader: null,
        bots: createBotClassifier(),
        findCaller: async () => null,
        limits: noLimits,
        clock,
        ids: createArrivalOrder(),
        log,
      }),
    },
  })

  const person = { tier: 'pro', complimentary: true } as const
  const ours = await accounts.create({ ...person, email: 'us@example.com' })
  const stranger = await accounts.create({ ...person, email: 'stranger@example.com' })
  const revokedKey = await accounts.issueApiKey(ours.id)
  const key = await accounts.issueApiKey(ours.id)
  const strangersKey = await accounts.issueApiKey(stranger.id)

  /** A live project of ours, or of the stranger, under a name of its own. */
  async function project(owner = ours): Promise<Project> {
    const name = `p-${randomBytes(8).toString('hex')}`
    return (await projects.create({ account: owner, name })).project
  }

  /** Sends a request to a row. Fails when it answers an error that the row does not list. */
  async function call(route: Route, sent: Sent = {}): Promise<Answered> {
    const path = route.path.replace(/\{\w+\}/, encodeURIComponent(sent.id ?? ''))
    const query = new URLSearchParams(sent.query)
    const credential = sent.key === undefined ? key : sent.key
    const answer = await fetch(`http://127.0.0.1:${front.port}${path}?${query}`, {
      method: route.method,
      headers: {
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
        ...(credential !== null && { 'X-API-Key': credential }),
        ...sent.headers,
      },
      ...(sent.body !== undefined && {
        body: sent.body instanceof Uint8Array ? Buffer.from(sent.body) : JSON.stringify(sent.body),
      }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type') === 'application/json'
    const body = isJson ? JSON.parse(text) : {}
    if (!answer.ok) refuseUnlisted(route, answer.status, body)
    return { status: answer.status, headers: answer.headers, body, text }
  }

  return {
    call,
    project,
    projects,
    usage,
    ours,
    stranger,
    key,
    revokedKey,
    strangersKey,
    stored,
    logged,
    async close() {
      await front.close()
      await state.close()
    },
  }
}

export type HttpWorld = Awaited<ReturnType<typeof openHttpWorld>>

function refuseUnlisted(route: Route, status: number, { error }: { error?: unknown }): void {
  const listed = errorsOf(route).filter(code => errorCodes[code].status === status)
  if (!listed.some(code => code === error)) {
    throw new Error(
      `${route.method} ${route.path} answers ${status} ${String(error)}, which its row does not list`,
    )
  }
}
