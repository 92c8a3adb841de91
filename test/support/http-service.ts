import { randomBytes } from 'node:crypto'
import { noLimits } from '#core/accounts/limits'
import { createAccountStore } from '#core/accounts/store'
import { createBotClassifier } from '#core/ingest/bots'
import { createArrivalOrder } from '#core/ingest/ids'
import type { Project } from '#core/projects/project'
import { createProjectStore } from '#core/projects/store'
import { createUsageStore } from '#core/usage/store'
import { controlHandler } from '#lambdas/control/handler'
import { type ReportsServices, reportsHandler } from '#lambdas/reports/handler'
import { siteHandler } from '#lambdas/site/handler'
import { trackHandler } from '#lambdas/track/handler'
import { startHttp } from '#local/http/server'
import { errorCodes } from '#schemas/errors'
import { errorsOf, type Route } from '#schemas/routes'
import { createMemoryLakeState } from './memory-lake-state.ts'
import { openTestState } from './test-state.ts'
import { HUMAN_USER_AGENT } from './user-agents.ts'

export const BASE_URL = 'https://footfall.example'
/** 2026-11-21, noon UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12)

export type RequestOptions = {
  /** Value of the path parameter. */
  id?: string
  query?: Record<string, string>
  /** API key for the header. Null sends none. Default: the key of `owner`. */
  key?: string | null
  headers?: Record<string, string>
  /** Sent as JSON, except bytes, which are sent as they are. */
  body?: unknown
}

export type JsonResponse = { status: number; headers: Headers; body: Record<string, unknown>; text: string }

/**
 * Opens all HTTP functions behind the server of one machine. Chain, accounts, projects and usage are real and use a state
 * of their own. The stream collects records. The lake is empty unless `reading` has another one. There are two accounts:
 * `owner` and `stranger`.
 */
export async function openHttpService(reading: Partial<Pick<ReportsServices, 'engine' | 'lakeState'>> = {}) {
  const state = await openTestState()
  const clock = { now: () => NOW }
  const accounts = createAccountStore({ ...state, clock })
  const usage = createUsageStore(state)
  const projects = createProjectStore({ ...state, clock, usage })
  const logged: { code: string; fields: unknown }[] = []
  const log = (code: string, fields?: unknown) => void logged.push({ code, fields })
  const streamRecords: Uint8Array[] = []
  const common = { accounts, projects, usage, limits: noLimits, baseUrl: BASE_URL, clock, log }
  const server = await startHttp({
    port: 0,
    log,
    functions: {
      site: siteHandler({
        tracker: { code: 'small', source: 'readable', sha256: '0a' },
        baseUrl: BASE_URL,
        log,
      }),
      control: controlHandler(common),
      reports: reportsHandler({
        ...common,
        engine: { rows: async () => [] },
        lakeState: createMemoryLakeState(),
        ...reading,
      }),
      track: trackHandler({
        stream: { append: async records => void streamRecords.push(...records) },
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

  const proPlan = { tier: 'pro', complimentary: true } as const
  const owner = await accounts.create({ ...proPlan, email: 'owner@example.com' })
  const stranger = await accounts.create({ ...proPlan, email: 'stranger@example.com' })
  const revokedKey = await accounts.issueApiKey(owner.id)
  const key = await accounts.issueApiKey(owner.id)
  const strangersKey = await accounts.issueApiKey(stranger.id)

  /** Creates a project with a unique name. */
  async function createProject(account = owner): Promise<Project> {
    const name = `p-${randomBytes(8).toString('hex')}`
    return (await projects.create({ account, name })).project
  }

  /** Sends a request to a route. Throws when the response has an error code that the route does not list. */
  async function call(route: Route, options: RequestOptions = {}): Promise<JsonResponse> {
    const path = route.path.replace(/\{\w+\}/, encodeURIComponent(options.id ?? ''))
    const query = new URLSearchParams(options.query)
    const apiKey = options.key === undefined ? key : options.key
    const response = await fetch(`http://127.0.0.1:${server.port}${path}?${query}`, {
      method: route.method,
      headers: {
        'User-Agent': HUMAN_USER_AGENT,
        ...(apiKey !== null && { 'X-API-Key': apiKey }),
        ...options.headers,
      },
      ...(options.body !== undefined && {
        body: options.body instanceof Uint8Array ? Buffer.from(options.body) : JSON.stringify(options.body),
      }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    const body = isJson ? JSON.parse(text) : {}
    if (!response.ok) assertListedError(route, response.status, body)
    return { status: response.status, headers: response.headers, body, text }
  }

  return {
    call,
    createProject,
    projects,
    usage,
    owner,
    stranger,
    key,
    revokedKey,
    strangersKey,
    streamRecords,
    logged,
    async close() {
      await server.close()
      await state.close()
    },
  }
}

export type HttpService = Awaited<ReturnType<typeof openHttpService>>

function assertListedError(route: Route, status: number, { error }: { error?: unknown }): void {
  const listed = errorsOf(route).filter(code => errorCodes[code].status === status)
  if (!listed.some(code => code === error)) {
    throw new Error(
      `${route.method} ${route.path} responds with ${status} ${String(error)}, which its row does not list.`,
    )
  }
}
