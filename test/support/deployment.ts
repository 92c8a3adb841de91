import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventRow } from '#schemas/event'
import type { EventsResponse } from '#schemas/events'
import type { ProjectRecord } from '#schemas/projects'
import type { Stats } from '#schemas/stats'
import { eventually } from './eventually.ts'
import { cleanUp, startService } from './service-process.ts'
import { HUMAN_USER_AGENT } from './user-agents.ts'

/** A file that FOOTFALL_DEPLOYMENT names: a service that runs already, and an account there. */
export type DeploymentFile = {
  /** As the service names itself. */
  base_url: string
  api_key: string
  /** Where it is reached while its name leads nowhere: by HTTP, and by the port of this machine that speaks TLS. */
  reached_at?: { url: string; tls_port: number }
  /** How long an acknowledged event may take until reads have it, seconds. */
  visible_within_s: number
}

/** A project as its creation answers. */
export type NewProject = ProjectRecord & { snippet: string; api_example: string }

/** What a client sends of an event, but for the token. */
export type EventInput = { event: string; [field: string]: unknown }

/**
 * The service that a journey goes through: the deployed one of FOOTFALL_DEPLOYMENT, or one that is started here. The
 * account may hold other projects, of earlier journeys too; each test makes its own.
 */
export type Deployment = {
  /** Where calls go. */
  baseUrl: string
  /** As the service names itself, in snippets for example. */
  publicUrl: string
  /** What a browser must be told to reach it: see launchBrowser. */
  tlsPort: number | null
  apiKey: string
  /** Calls the service with the API key; `headers` come on top. */
  call(
    path: string,
    request?: { method?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Response>
  /** What a call answers that has to go well; one that is told to come later does. */
  answer<T>(path: string, request?: { method?: string; body?: unknown }): Promise<T>
  /** A project that nobody else has; `name` is only its beginning. */
  newProject(name: string, more?: { allowed_origins?: string }): Promise<NewProject>
  /** Sends events as a human's browser would, without the API key: one by /track, more by /track/batch. */
  send(project: NewProject, events: EventInput[], headers?: Record<string, string>): Promise<Response>
  /** All events of the project that reads have now, oldest first. */
  events(project: Pick<ProjectRecord, 'id'>, since?: string): Promise<EventRow[]>
  /** Waits until reads have so many events of the project, and gives them, oldest first. */
  untilStored(project: NewProject, count: number, since?: string): Promise<EventRow[]>
  stats(project: Pick<ProjectRecord, 'id'>, since?: string): Promise<Stats>
  close(): Promise<void>
}

/** A reader that is told Retry-After, as by a query engine that is busy, comes again so often. */
const TRIES = 5

export async function openDeployment(): Promise<Deployment> {
  const path = process.env.FOOTFALL_DEPLOYMENT
  if (path !== undefined) {
    const file = JSON.parse(readFileSync(path, 'utf8')) as DeploymentFile
    return deployment(file, async () => {})
  }
  const service = await startService()
  const { base_url, api_key } = service.credentials
  return deployment({ base_url, api_key, visible_within_s: 60 }, async () => {
    await service.stop()
    await cleanUp()
  })
}

/** The service that the file names, as journeys use it. */
export function deployment(file: DeploymentFile, close: () => Promise<void>): Deployment {
  const { base_url, api_key, reached_at, visible_within_s } = file
  const baseUrl = reached_at?.url ?? base_url

  const call: Deployment['call'] = (path, { method, body, headers } = {}) =>
    fetch(baseUrl + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { 'X-API-Key': api_key, 'User-Agent': HUMAN_USER_AGENT, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

  async function answer<T>(path: string, request?: { method?: string; body?: unknown }): Promise<T> {
    for (let tries = 1; ; tries++) {
      const response = await call(path, request)
      const text = await response.text()
      if (response.status <= 299) return JSON.parse(text) as T
      const retryAfter = response.headers.get('retry-after')
      if (retryAfter === null || tries === TRIES) throw new Error(`${path}: ${response.status} ${text}`)
      await sleep(Number(retryAfter) * 1_000)
    }
  }

  async function events(project: Pick<ProjectRecord, 'id'>, since = '1d'): Promise<EventRow[]> {
    const found: EventRow[] = []
    for (let cursor = ''; ; ) {
      const page = await answer<EventsResponse>(
        `/events?project=${project.id}&since=${since}&limit=1000${cursor}`,
      )
      found.push(...page.events)
      if (page.next_before === null) return found.reverse()
      cursor = `&before=${encodeURIComponent(page.next_before)}`
    }
  }

  return {
    baseUrl,
    publicUrl: base_url,
    tlsPort: reached_at?.tls_port ?? null,
    apiKey: api_key,
    call,
    answer,
    newProject: (name, more) =>
      answer('/projects', { body: { name: `${name}-${randomBytes(4).toString('hex')}`, ...more } }),
    send({ project_token: token }, sent, headers) {
      const [first, ...others] = sent.map(event => ({ token, ...event }))
      return fetch(`${baseUrl}${others.length === 0 ? '/track' : '/track/batch'}`, {
        method: 'POST',
        headers: { 'User-Agent': HUMAN_USER_AGENT, ...headers },
        body: JSON.stringify(others.length === 0 ? first : { events: [first, ...others] }),
      })
    },
    events,
    untilStored(project, count, since = '1d') {
      return eventually(
        async () => {
          const stored = await events(project, since)
          if (stored.length !== count) {
            throw new Error(`${project.name} has ${stored.length} events, not ${count}: ${names(stored)}`)
          }
          return stored
        },
        { timeoutMs: visible_within_s * 1_000, everyMs: 50 * Math.ceil(visible_within_s / 60) },
      )
    },
    stats: (project, since = '1d') => answer(`/stats?project=${project.id}&since=${since}`),
    close,
  }
}

function names(events: EventRow[]): string {
  return events
    .map(({ event }) => event)
    .join(', ')
    .slice(0, 500)
}
