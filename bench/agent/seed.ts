import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchEvent, PROJECTS, trafficAt } from './traffic.ts'

export type Target = {
  /** Without a slash at its end. */
  baseUrl: string
  apiKey: string
  /** Header that tells the service the country of a visitor; absent: countries are not sent. */
  countryHeader?: string | undefined
}

const BATCH = 100
/** Ends the wait for events that do not arrive. A busy machine must not reach it. */
const ARRIVAL_MS = 120_000

/** Creates the projects of the benchmark in an account that has none of them, and sends their events. */
export async function seed(target: Target, now: number): Promise<void> {
  const events = trafficAt(now)
  for (const name of PROJECTS) {
    const { project_token: token } = await send(target, 'POST', '/projects', { name })
    const own = events.filter(({ project }) => project === name)
    for (const batch of batchesOf(own)) {
      await send(
        target,
        'POST',
        '/track/batch',
        { events: batch.map(({ project: _, country: __, ...event }) => ({ ...event, token })) },
        batch[0]?.country,
      )
    }
    await arrival(target, name, own.length)
  }
}

/** Batches of events of one country each, because the country is that of the request. */
function batchesOf(events: readonly BenchEvent[]): BenchEvent[][] {
  const groups = Object.values(Object.groupBy(events, ({ country }) => country)) as BenchEvent[][]
  return groups.flatMap(group =>
    Array.from({ length: Math.ceil(group.length / BATCH) }, (_, i) =>
      group.slice(i * BATCH, (i + 1) * BATCH),
    ),
  )
}

async function arrival(target: Target, project: string, events: number): Promise<void> {
  for (let waited = 0; waited < ARRIVAL_MS; waited += 200) {
    const { totals } = await send(target, 'GET', `/stats?project=${project}&since=29d`)
    if (totals.total_events === events) return
    await sleep(200)
  }
  throw new Error(`The events of ${project} did not arrive.`)
}

async function send(
  { baseUrl, apiKey, countryHeader }: Target,
  method: string,
  path: string,
  body?: unknown,
  country?: string,
) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      'X-API-Key': apiKey,
      'Content-Type': 'application/json',
      ...(countryHeader !== undefined && country !== undefined && { [countryHeader]: country }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  // biome-ignore lint/suspicious/noExplicitAny: the endpoints' own tests check the bodies
  return (await response.json()) as any
}
