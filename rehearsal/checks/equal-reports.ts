import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COUNTRY, type World } from '#rehearsal/world'
import type { Credentials } from '#schemas/owner'
import type { Route } from '#schemas/route'
import { type Deployment, deployment, type NewProject } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'
import { type ReportName, reportRoutes } from '#test/support/report-routes'
import { NODE_ARGS } from '#test/support/service-process'
import type { Check } from './check.ts'

/** What a report needs beside the project, in the query or in the body. */
const PARAMETERS: Partial<Record<ReportName, Record<string, unknown>>> = {
  stats: { groupBy: 'hour' },
  breakdown: { property: 'plan' },
  conversion: { goal: 'signup', by: 'country' },
  query: { metrics: ['event_count', 'bounce_rate'], group_by: ['date', 'event'], filters: [] },
  funnel: { steps: [{ event: 'page_view' }, { event: 'signup' }], breakdown: 'country' },
  paths: { goal_event: 'signup' },
  eventsLookup: { user_id: 'u1' },
  journey: { user_id: 'u2' },
  journeyByBody: { user_id: 'u3' },
  journeyLookup: { user_id: 'u4' },
}
const HOUR_MS = 3_600_000

/**
 * Runs every report on the deployed service, where Trino runs its SQL, and on the service of one machine,
 * where DuckDB does. Both have the same events.
 */
export const equalReports: Check = {
  name: 'every report gives the same response as on one machine',
  async act(world) {
    const local = await startLocalService(world)
    const name = `reports-${Date.now()}`
    const events = historyOf(Date.now())
    const headers = { 'CloudFront-Viewer-Country': COUNTRY }
    const projects: NewProject[] = []
    for (const service of [world.service, local]) {
      const project = await service.callJson<NewProject>('/projects', {
        body: { name },
      })
      const { status } = await service.send(project, events, headers)
      if (status !== 202) throw new Error(`The events were answered with ${status}.`)
      projects.push(project)
    }
    return async () => {
      try {
        for (const [i, service] of [world.service, local].entries())
          await service.waitForEvents(projects[i] as NewProject, events.length, '30d')
        const differences: string[] = []
        for (const [route, row] of reportRoutes) {
          const parameters = { project: name, ...PARAMETERS[route] }
          const [deployed = '', onOneMachine = ''] = await Promise.all(
            [world.service, local].map(service => read(service, row, parameters)),
          )
          if (deployed !== onOneMachine)
            differences.push(`${row.method} ${row.path}: ${describeDifference(deployed, onOneMachine)}`)
        }
        if (differences.length > 0) throw new Error(differences.join('\n'))
      } finally {
        await local.close()
      }
      return `${reportRoutes.length} reports over ${events.length} events`
    }
  },
}

/**
 * Visits of 12 users in 9 days: pages, sign-ups, properties of several types. Each event has a time of its
 * own.
 */
function historyOf(now: number) {
  return Array.from({ length: 90 }, (_, i) => ({
    event: i % 5 === 4 ? 'signup' : 'page_view',
    event_id: `e${i}`,
    user_id: `u${i % 12}`,
    session_id: `s${Math.floor(i / 3)}`,
    timestamp: now - 9 * 24 * HOUR_MS + i * 2 * HOUR_MS + i,
    properties: { path: `/${i % 4}`, plan: i % 2 === 0 ? 'pro' : i, title: 'Größe', utm_source: 'mail' },
  }))
}

/** The response without what each service makes up, and what the moment of a request decides. */
async function read(service: Deployment, { method, path }: Route, parameters: Record<string, unknown>) {
  const isGet = method === 'GET'
  const query = new URLSearchParams(isGet ? (parameters as Record<string, string>) : {})
  const since = path === '/paths' ? {} : { since: '14d' }
  const body = isGet ? undefined : { ...since, ...parameters }
  if (isGet && !OWN_PERIOD.has(path)) query.set('since', '14d')
  const response = await service.callJson<unknown>(`${path}?${query}`, { method, body })
  return JSON.stringify(response, (key, value) => (MADE_UP.has(key) ? undefined : value)).replaceAll(
    MOMENT_OF_NOTE,
    '…',
  )
}

const OWN_PERIOD = new Set(['/insights', '/pages', '/retention'])
/** `since` is the millisecond at which the period of a request begins. */
const MADE_UP = new Set(['id', 'project_id', 'next_before', 'since'])

/** A funnel notes the millisecond from which its window is not over. */
const MOMENT_OF_NOTE = /(?<=WINDOW_NOT_OVER: Whoever began after )\S+/g

/** Both texts from a little before the place where they differ. */
function describeDifference(deployed: string, onOneMachine: string): string {
  let same = 0
  while (deployed[same] === onOneMachine[same]) same++
  const part = (text: string) => text.slice(Math.max(0, same - 200), same + 400)
  return `…${part(deployed)}…\non one machine: …${part(onOneMachine)}…`
}

/** The service of one machine, in the folder of the rehearsal. */
export async function startLocalService({ folder }: World): Promise<Deployment> {
  const dataDir = join(folder, 'one-machine')
  const logFile = join(folder, 'one-machine.log')
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, NODE_ARGS, {
    stdio: ['ignore', log, log],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: dataDir,
      SEED_DEMO: 'false',
      COUNTRY_HEADER: 'cloudfront-viewer-country',
      TRUSTED_PROXIES: '127.0.0.1,::1',
    },
  })
  let hasExited = false
  const exited = new Promise<void>(resolveExit =>
    child.on('exit', () => {
      hasExited = true
      resolveExit()
    }),
  )
  const close = async () => {
    child.kill('SIGINT')
    await exited
  }
  return eventually(
    async () => {
      if (hasExited) return null
      const { base_url, api_key }: Credentials = JSON.parse(
        readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
      )
      await fetch(`${base_url}/health`)
      return deployment({ base_url, api_key, setup_link: '', visible_within_s: 600 }, close)
    },
    { timeoutMs: 600_000, everyMs: 500 },
  ).then(
    service => {
      if (service === null) throw new Error(`The service has ended:\n${readFileSync(logFile, 'utf8')}`)
      return service
    },
    async error => {
      await close()
      throw error
    },
  )
}
