import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRow } from '#schemas/event'
import type { EventsResponse } from '#schemas/events'
import type { ProjectRecord } from '#schemas/projects'
import type { Stats } from '#schemas/stats'
import { eventually } from './eventually.ts'
import { cleanUp, type Service, startService } from './service-process.ts'
import { sharedService } from './shared-service.ts'
import { HUMAN_USER_AGENT } from './user-agents.ts'

/** The contents of the file that FOOTFALL_DEPLOYMENT names: a running service and one of its accounts. */
export type DeploymentFile = {
  /** The service's name for itself, for example in snippets. */
  base_url: string
  api_key: string
  /** Signs a browser in as the owner of the account, once. */
  setup_link: string
  /** Set when `base_url` does not resolve: the HTTP address, and a port of this machine for TLS. */
  reached_at?: { url: string; tls_port: number }
  /** Whether its documents name a demo. Default: true, as on AWS. */
  may_have_demo?: boolean
  /** Longest time from the acknowledgement of an event until reads return it, seconds. */
  visible_within_s: number
}

/** A project as POST /projects returns it. */
export type NewProject = ProjectRecord & { snippet: string; api_example: string }

/** An event as a client sends it, without the token. */
export type EventInput = { event: string; [field: string]: unknown }

/**
 * The service that a journey uses: the deployed one of FOOTFALL_DEPLOYMENT, or a new one on this machine. The
 * account may have other projects, for example of earlier journeys, so each test creates its own.
 */
export type Deployment = {
  /** The address for requests. */
  baseUrl: string
  /** The service's name for itself, for example in snippets. */
  publicUrl: string
  /** See AllowedService in browser.ts. */
  tlsPort: number | null
  apiKey: string
  mayHaveDemo: boolean
  /** Signs a browser in as the owner, once. */
  setupLink: string
  /** Sends a request with the API key and `headers`. */
  call(
    path: string,
    request?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>
  /**
   * Sends a request and returns the JSON body. Tries again after Retry-After, and throws for any other error
   * status.
   */
  callJson<T>(path: string, request?: { method?: string; body?: unknown }): Promise<T>
  /** Creates a project. Its name is `name` with a random suffix. */
  createProject(name: string, more?: { allowed_origins?: string }): Promise<NewProject>
  /** Sends events as a person's browser does, without the API key: one to /track, several to /track/batch. */
  send(project: NewProject, events: EventInput[], headers?: Record<string, string>): Promise<Response>
  /** Returns all events of the project that reads return now, oldest first. */
  events(project: Pick<ProjectRecord, 'id'>, since?: string): Promise<EventRow[]>
  /** Waits until reads return `count` events of the project. Returns them, oldest first. */
  waitForEvents(project: NewProject, count: number, since?: string): Promise<EventRow[]>
  stats(project: Pick<ProjectRecord, 'id'>, since?: string): Promise<Stats>
  close(): Promise<void>
}

/** Most tries of a request that gets Retry-After, for example from a busy query engine. */
const MAX_TRIES = 5

export async function openDeployment(): Promise<Deployment> {
  return readDeployment() ?? startDeployment()
}

/** Starts a service on this machine, whatever FOOTFALL_DEPLOYMENT names. */
export async function startDeployment(): Promise<Deployment> {
  const service = await startService()
  return deployment(fileOf(service), async () => {
    await service.stop()
    await cleanUp()
  })
}

/**
 * Returns a deployment whose service other test files use too, with a project of its own for each test. Its
 * setup link may be used up. On this machine it is the shared service of the process.
 */
export async function sharedDeployment(): Promise<Deployment> {
  return readDeployment() ?? deployment(fileOf(await sharedService()), async () => {})
}

/** The deployment of FOOTFALL_DEPLOYMENT, or null. */
function readDeployment(): Deployment | null {
  const path = process.env.FOOTFALL_DEPLOYMENT
  if (path === undefined) return null
  return deployment(JSON.parse(readFileSync(path, 'utf8')) as DeploymentFile, async () => {})
}

function fileOf(service: Service): DeploymentFile {
  const { base_url, api_key } = service.credentials
  const setup_link = /\S+\/setup\/\S+/.exec(service.output())?.[0] ?? ''
  return { base_url, api_key, setup_link, may_have_demo: false, visible_within_s: 60 }
}

/** Returns the service of a deployment file. */
export function deployment(file: DeploymentFile, close: () => Promise<void>): Deployment {
  const { base_url, api_key, setup_link, reached_at, may_have_demo = true, visible_within_s } = file
  const baseUrl = reached_at?.url ?? base_url

  const call: Deployment['call'] = (path, { method, body, headers } = {}) =>
    fetch(baseUrl + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'X-API-Key': api_key, 'User-Agent': HUMAN_USER_AGENT, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  async function callJson<T>(path: string, request?: { method?: string; body?: unknown }): Promise<T> {
    for (let tries = 1; ; tries++) {
      const response = await call(path, request)
      const text = await response.text()
      if (response.status <= 299) return JSON.parse(text) as T
      // CloudFront gives up when a busy machine needs half a minute for a report.
      const retryAfter = response.headers.get('retry-after') ?? (response.status === 504 ? '5' : null)
      if (retryAfter === null || tries === MAX_TRIES) throw new Error(`${path}: ${response.status} ${text}`)
      await sleep(Number(retryAfter) * 1_000)
    }
  }

  async function events(project: Pick<ProjectRecord, 'id'>, since = '1d'): Promise<EventRow[]> {
    const rows: EventRow[] = []
    for (let cursor = ''; ; ) {
      const page = await callJson<EventsResponse>(
        `/events?project=${project.id}&since=${since}&limit=1000${cursor}`,
      )
      rows.push(...(page.events as EventRow[]))
      if (page.next_before === null) return rows.reverse()
      cursor = `&before=${encodeURIComponent(page.next_before)}`
    }
  }

  return {
    baseUrl,
    publicUrl: base_url,
    tlsPort: reached_at?.tls_port ?? null,
    apiKey: api_key,
    mayHaveDemo: may_have_demo,
    setupLink: setup_link,
    call,
    callJson,
    createProject: (name, more) =>
      callJson('/projects', { body: { name: `${name}-${randomBytes(4).toString('hex')}`, ...more } }),
    send({ project_token: token }, sent, headers) {
      const [first, ...others] = sent.map(event => ({ token, ...event }))
      return fetch(`${baseUrl}${others.length === 0 ? '/track' : '/track/batch'}`, {
        method: 'POST',
        headers: { 'User-Agent': HUMAN_USER_AGENT, ...headers },
        body: JSON.stringify(others.length === 0 ? first : { events: [first, ...others] }),
      })
    },
    events,
    waitForEvents(project, count, since = '1d') {
      return eventually(
        async () => {
          const stored = await events(project, since)
          if (stored.length !== count) {
            throw new Error(
              `Project ${project.name} has ${stored.length} events, not ${count}: ${names(stored)}`,
            )
          }
          return stored
        },
        { timeoutMs: visible_within_s * 1_000, everyMs: 250 * Math.ceil(visible_within_s / 60) },
      )
    },
    stats: (project, since = '1d') => callJson(`/stats?project=${project.id}&since=${since}`),
    close,
  }
}

function names(events: EventRow[]): string {
  return events
    .map(({ event }) => event)
    .join(', ')
    .slice(0, 500)
}
