import { afterAll, beforeAll, expect, test } from 'vitest'
import { askDemo } from '#bench/agent/ask-demo'
import { connectTools } from '#bench/agent/mcp-tools'
import { DEMO_EVENTS, demoRecords } from '#core/demo/demo-records'
import { createArrivalOrder } from '#core/ingest/ids'
import { unpackRecord } from '#core/ingest/record'
import type { Project } from '#core/projects/project'
import { bucketOf } from '#core/state/bucket-of'
import { demoBots } from '#local/demo/bots'
import { testProject } from '#test/support/account-fixtures'
import { demoFolder } from '#test/support/demo-folder'
import { localTime, shiftDate } from '#test/support/oracle/common'
import { oracleConversion } from '#test/support/oracle/conversion'
import { oracleExperiment } from '#test/support/oracle/experiment'
import { oracleFunnel } from '#test/support/oracle/funnel'
import type { SentEvent } from '#test/support/oracle/sent-event'
import { oracleInsights, oraclePages } from '#test/support/oracle/sessions'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { readJson } from '#test/support/service-reads'

/**
 * Ten questions about the demo project, asked by a client that knows the address of the service and nothing
 * else: what it sends stands in /llms.txt, or in the part of the OpenAPI document that it reads. The true
 * answers come from the generator of the demo traffic and the oracle, not from what the service has stored.
 */

const [MOST_CALLS, MOST_BYTES] = [15, 60 * 1_024]
const BERLIN = 'Europe/Berlin'

// biome-ignore lint/suspicious/noExplicitAny: the client does not check what it reads
type Body = any

let service: Service
beforeAll(async () => {
  service = await startService({ dataDir: await demoFolder(), seed: true })
})
afterAll(cleanUp)

/** A client that counts its calls and the bytes of the responses. */
function openClient() {
  let [calls, bytes] = [0, 0]
  let token: string | null = null
  let lines: string[] = []
  let openapi: Body = null

  async function send(method: string, path: string, body?: object): Promise<string> {
    const response = await fetch(service.baseUrl + path, {
      method,
      headers: token === null ? {} : { Authorization: `Bearer ${token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    calls += 1
    bytes += Buffer.byteLength(text)
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`)
    return text
  }

  /** The example of /llms.txt for a route: its path with parameters, or its body. */
  function exampleOf(route: string): string {
    const line = lines.find(each => each.startsWith(`- ${route}?`) || each.startsWith(`- ${route} `))
    return (line ?? expect.unreachable(`no line for ${route}`)).slice(2).split(' : ')[0] as string
  }

  return {
    /** Reads where everything is, gets access, and reads the parameters of some paths. */
    async begin(paths: readonly string[]): Promise<void> {
      lines = (await send('GET', '/llms.txt')).split('\n').filter(line => line.startsWith('- '))
      expect(exampleOf('POST /demo/session')).toBe('POST /demo/session')
      token = JSON.parse(await send('POST', '/demo/session')).agent_session.access_token
      openapi = JSON.parse(await send('GET', `/openapi.json?path=${paths.join()}`))
    },
    /** Sends an example as it stands. */
    async example(route: string): Promise<Body> {
      const [method = '', target = '', ...body] = exampleOf(route).split(' ')
      return JSON.parse(await send(method, target, body.length > 0 ? JSON.parse(body.join(' ')) : undefined))
    },
    /** Sends a GET whose parameters are in the OpenAPI document. */
    async ask(path: string, query: Record<string, string>): Promise<Body> {
      exampleOf(`GET ${path}`)
      const known = openapi.paths[path].get.parameters.map(
        ({ $ref, name }: { $ref?: string; name?: string }) =>
          $ref === undefined ? name : openapi.components.parameters[$ref.split('/').at(-1) ?? ''].name,
      )
      expect(known).toEqual(expect.arrayContaining(Object.keys(query)))
      return JSON.parse(await send('GET', `${path}?${new URLSearchParams(query)}`))
    },
    spent: () => ({ calls, bytes }),
  }
}

/** The rows of a compact list. */
function rowsOf([names, ...rows]: Body[]): Record<string, Body>[] {
  return rows.map(cells => Object.fromEntries(names.map((name: string, i: number) => [name, cells[i]])))
}

/**
 * What the demo project was sent, made again by its generator. `end`: where the traffic ends, Unix ms. It
 * follows from the time of the newest event, because the generator moves all times with it. But the traffic
 * follows the hours of the day, so it is made once more if the guess was of another hour.
 */
async function remakeTraffic(project: Pick<Project, 'id' | 'account_id'>) {
  const newest = await readJson<{ events: [{ event_id: string; timestamp: number }] }>(
    service,
    '/events?project=demo&limit=1&fields=event_id,timestamp',
  )
  const [{ event_id, timestamp }] = newest.events
  let end = Date.now()
  for (let tries = 1; ; tries++) {
    const { events, bots } = demoTraffic(project, end)
    const late = timestamp - (events.find(event => event.event_id === event_id)?.timestamp ?? Number.NaN)
    if (hourOf(end) === hourOf(end + late)) {
      const moved = events.map(event => ({ ...moveBy(late, event), timestamp: event.timestamp + late }))
      return { events: moved, bots: bots.map(bot => moveBy(late, bot)), end: end + late }
    }
    if (tries === 3)
      throw new Error(`The traffic of no hour ends with the event ${event_id} at ${timestamp}.`)
    end += late
  }
}

const hourOf = (time: number) => Math.floor(time / 3_600_000)

function moveBy<Received extends { received_at: number }>(ms: number, received: Received): Received {
  return { ...received, received_at: received.received_at + ms }
}

/** What the demo project was sent until `end`, Unix ms. */
function demoTraffic(project: Pick<Project, 'id' | 'account_id'>, end: number) {
  const sender = testProject({ ...project, bucket: bucketOf(project.id) })
  const packed = [
    ...demoRecords(sender, createArrivalOrder(), { end, eventIdPrefix: 'demo-' }),
    ...demoBots(sender, end),
  ]
  const records = packed.map(unpackRecord)
  const events = records.flatMap((record): SentEvent[] => {
    if (record.kind !== 'events') return []
    const { project_id, country, received_at } = record
    return record.events.map((event, i) => ({
      ...event,
      event_id: event.event_id ?? null,
      ...{ project_id, country, received_at, seq: record.seq + i },
    }))
  })
  return { events, bots: records.filter(record => record.kind === 'bots') }
}

test('ten questions about the demo are answered rightly in fifteen calls and 60 KB, from /llms.txt on', async () => {
  const client = openClient()
  await client.begin(['/insights', '/pages', '/conversion', '/heatmap', '/retention', '/journey'])
  const common = { project: 'demo', since: '30d', compact: 'true' }

  const months = await client.ask('/insights', { project: 'demo', period: '30d', compact: 'true' })
  const pages = await client.ask('/pages', { ...common, limit: '5' })
  const funnel = await client.example('POST /funnel')
  const countries = await client.ask('/conversion', {
    ...{ ...common, goal: 'signup', by: 'country', min_users: '20' },
  })
  const sources = await client.ask('/conversion', {
    ...{ ...common, goal: 'signup', by: 'source', min_users: '20' },
  })
  const hours = await client.ask('/heatmap', {
    ...{ project: 'demo', since: '27d', tz: BERLIN, fields: 'peak,busiest_hour' },
  })
  const cohorts = await client.ask('/retention', {
    ...{ project: 'demo', period: 'week', cohorts: '4', compact: 'true' },
  })
  const experiment = await client.example('GET /experiments/exp_demo_signup_cta')
  const crawlers = await client.example('GET /bot-traffic')

  const project = { id: experiment.project_id, account_id: experiment.account_id }
  const { events, bots, end: now } = await remakeTraffic(project)
  expect(events).toHaveLength(DEMO_EVENTS)
  const [user = ''] = [...Map.groupBy(events, ({ user_id }) => user_id)]
    .filter(([, of]) => of.length > 40)
    .map(([id]) => String(id))
  const way = await client.ask('/journey', {
    ...{ ...common, user_id: user, order: 'asc', limit: '20', fields: 'timestamp,event,path' },
  })
  const asked = { project: project.id, since: '30d', now, tz: 'UTC' }

  // 1. This month beside the one before, which is not whole.
  const { metrics, trend, warnings } = months
  expect({ metrics, trend }).toEqual(withoutPeriods(oracleInsights(events, asked, 30)))
  expect([trend, warnings]).toEqual(['stable', [expect.stringContaining('the first event is of')]])
  // 2. The best entry pages.
  expect(rowsOf(pages.entry_pages)).toEqual(
    oraclePages(events, asked, { type: 'entry', limit: 5 }).entry_pages,
  )
  // 3. From the page with the prices to a sign-up.
  const steps = [
    { event: 'page_view', filters: [{ property: 'path', op: 'eq', value: '/pricing' }] },
    { event: 'signup', filters: [] },
  ]
  const passed = oracleFunnel(events, asked, {
    ...{ steps, count_by: 'user_id' as const, conversion_window_hours: 168, breakdown_limit: 10 },
  })
  expect(usersOf(funnel.steps)).toEqual(usersOf(passed.steps))
  // 4. and 5. The country and the source whose users sign up most.
  for (const [answer, by] of [
    [countries, 'country'],
    [sources, 'source'],
  ] as const) {
    const { values } = oracleConversion(events, asked, { goal: 'signup', by, min_users: 20, limit: 20 })
    expect(rowsOf(answer.values)).toEqual(values)
  }
  // 6. The busiest hour in Berlin.
  expect(hours).toMatchObject(busiestHours(events, shiftDate(localTime(now, BERLIN).date, -27)))
  // 7. Who came back.
  expect(rowsOf(cohorts.cohorts).map(({ date, retained }) => [date, retained])).toEqual(
    cohortsOf(events, now, 4),
  )
  // 8. Which variant leads.
  expect(experiment.results.variants).toMatchObject(
    oracleExperiment(events, { project: project.id, now }, experiment),
  )
  // 9. The crawlers.
  const today = localTime(now, 'UTC').date
  const ofWeek = bots.filter(({ received_at }) => localTime(received_at, 'UTC').date >= shiftDate(today, -6))
  expect(crawlers.summary.automated_requests.current).toBe(ofWeek.length)
  const requestsOf = (actor: string) => ofWeek.filter(bot => bot.actor === actor).length
  expect(crawlers.actors.length).toBeGreaterThan(4)
  for (const { actor, requests } of crawlers.actors)
    expect([actor, requests]).toEqual([actor, requestsOf(actor)])
  // 10. The first steps of one user.
  const own = events.filter(({ user_id }) => user_id === user).toSorted((a, b) => a.timestamp - b.timestamp)
  expect(rowsOf(way.events).map(({ timestamp }) => timestamp)).toEqual(
    own.slice(0, 20).map(({ timestamp }) => timestamp),
  )
  expect(new Set(rowsOf(way.events).map(textOf))).toEqual(new Set(own.slice(0, 20).map(toRow).map(textOf)))

  const { calls, bytes } = client.spent()
  expect(calls).toBeLessThanOrEqual(MOST_CALLS)
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
})

test('the benchmark asks them by HTTP and by MCP within its bounds, and both say the same numbers', async () => {
  const session = await fetch(`${service.baseUrl}/demo/session`, { method: 'POST' })
  const { agent_session } = (await session.json()) as { agent_session: { access_token: string } }
  const tools = await connectTools(`${service.baseUrl}/mcp`, agent_session.access_token)
  const { asked, http, mcp, problems } = await askDemo(service.baseUrl, tools)
  await tools.close()
  expect(problems).toEqual([])
  expect(asked).toHaveLength(11)
  expect(http.calls).toBeLessThanOrEqual(15)
  expect(http.bytes).toBeLessThanOrEqual(40 * 1_024)
  expect(mcp.calls).toBeLessThanOrEqual(14)
})

/** The hour of the week, and of the day, with most events from a date in Berlin on. */
function busiestHours(events: readonly SentEvent[], from: string) {
  const timed = events
    .map(event => ({ ...event, ...localTime(event.timestamp, BERLIN) }))
    .filter(({ date }) => date >= from)
  const cells = [...Map.groupBy(timed, ({ weekday, hour }) => weekday * 24 + hour)].toSorted(
    ([a], [b]) => a - b,
  )
  const [, peak = []] = cells.toSorted(([, a], [, b]) => b.length - a.length)[0] ?? []
  const hours = [...Map.groupBy(timed, ({ hour }) => hour)].toSorted(([a], [b]) => a - b)
  const users = new Set(peak.map(({ user_id }) => user_id)).size
  return {
    peak: { day: peak[0]?.weekday, hour: peak[0]?.hour, events: peak.length, users },
    busiest_hour: hours.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0],
  }
}

/**
 * The Monday of each of the last weeks, and how many of the users who were first seen then were seen in each
 * week since.
 */
function cohortsOf(events: readonly SentEvent[], now: number, weeks: number): [monday: string, number[]][] {
  const mondayOf = (ms: number) => {
    const { date, weekday } = localTime(ms, 'UTC')
    return shiftDate(date, -((weekday + 6) % 7))
  }
  const sessions = [...Map.groupBy(events, ({ session_id }) => session_id).values()].map(of => {
    const ordered = of.toSorted((a, b) => a.timestamp - b.timestamp)
    return { user: ordered.at(-1)?.user_id, monday: mondayOf(ordered[0]?.timestamp ?? 0) }
  })
  const weeksOf = [...Map.groupBy(sessions, ({ user }) => user).values()].map(
    of => new Set(of.map(({ monday }) => monday).toSorted()),
  )
  const mondays = Array.from({ length: weeks }, (_, i) => shiftDate(mondayOf(now), 7 * (i + 1 - weeks)))
  return mondays.map((monday, i) => {
    const cohort = weeksOf.filter(([first]) => first === monday)
    return [monday, mondays.slice(i).map(later => cohort.filter(seen => seen.has(later)).length)]
  })
}

function withoutPeriods({ metrics, trend }: ReturnType<typeof oracleInsights>) {
  return { metrics, trend }
}

function usersOf(steps: { event: string; users: number }[]): [string, number][] {
  return steps.map(({ event, users }) => [event, users])
}

function toRow({ timestamp, event, properties }: SentEvent) {
  return { timestamp, event, path: properties?.path ?? null }
}

function textOf({ timestamp, event, path }: Record<string, Body>): string {
  return JSON.stringify([timestamp, event, path])
}
