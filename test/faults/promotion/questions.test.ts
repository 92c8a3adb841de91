import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStackSource } from '#aws/promoted-stack'
import { promote } from '#core/promote/promote'
import { promotionTexts } from '#core/promote/texts'
import { openArrival } from '#local/promote/arrival'
import { openSource } from '#local/promote/source'
import { openTarget } from '#local/promote/target'
import { systemClock } from '#providers/system-clock'
import type { FunctionName } from '#schemas/functions'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { builtBundles } from '#test/faults/bundles/built-bundles'
import type { BundleProcess } from '#test/faults/bundles/bundle-process'
import { type BundledService, openBundledService } from '#test/faults/bundles/bundled-service'
import { demoFolder } from '#test/support/demo-folder'
import { eventually } from '#test/support/eventually'
import { exampleEvent, type HttpEvent, type HttpResult, kinesisEvent } from '#test/support/lambda-events'
import {
  cleanUp,
  newFolder,
  runFailingService,
  type Service,
  startService,
} from '#test/support/service-process'
import { startSecretsManager } from './secrets-manager.ts'

/**
 * A promotion as an operator makes it, into the functions that AWS runs: first beside the service that runs,
 * then after its end. Twenty questions get the same answers on both sides.
 */

const DAY_MS = 86_400_000
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
/** Days that are over, so that no answer depends on the moment of the question. */
const range = `since=${day(20)}&until=${day(1)}`

const QUESTIONS = [
  `/stats?project=demo&${range}`,
  `/stats?project=demo&${range}&groupBy=hour&tz=Europe/Berlin`,
  `/insights?project=demo&period=7d`,
  `/breakdown?project=demo&property=path&event=page_view&${range}&limit=10`,
  `/breakdown?project=demo&property=country&${range}`,
  `/pages?project=demo&${range}&type=entry`,
  `/pages?project=demo&${range}&type=exit`,
  `/sources?project=demo&${range}`,
  `/sources?project=demo&by=source&goal=signup&${range}`,
  `/conversion?project=demo&goal=signup&by=source&${range}`,
  `/heatmap?project=demo&${range}`,
  `/sessions/distribution?project=demo&${range}`,
  `/sessions?project=demo&${range}&limit=10`,
  `/events?project=demo&${range}&limit=500`,
  `/retention?project=demo&period=week`,
  `/properties?project=demo`,
  '/journey?project=demo&user_id=user_ada&order=asc&fields=event,user_id,properties',
  `/pages?project=demo&${range}&where={"did":{"event":"purchase"}}`,
  `/bot-traffic?project=demo&period=30d`,
  '/projects',
  '/projects/demo',
  '/projects/demo/views',
  '/projects/demo/segments',
  '/projects/demo/share-links',
  '/project-context?project=demo',
  '/experiments?project=demo',
  '/experiments/exp_demo_signup_cta',
  '/account',
]

let service: Service
let target: BundledService
let secrets: Awaited<ReturnType<typeof startSecretsManager>>
const functions = new Map<FunctionName, Promise<BundleProcess>>()
beforeAll(async () => {
  service = await startService({ dataDir: await demoFolder(), seed: true })
  secrets = await startSecretsManager('the key that the stack has made')
  target = await openBundledService(await builtBundles())
})
afterAll(async () => {
  await target?.close()
  await secrets?.stop()
  await cleanUp()
})

type Answer = { status: number; text: string }

/**
 * The answer, byte for byte, without what counts the questions themselves, and without a limit that differs
 * between the deployments.
 */
function comparable(answer: Answer | undefined): Answer {
  const { status, text } = answer ?? expect.unreachable()
  return { status, text: text.replaceAll(/"(total_reads|read_count|statements_per_day)":\s?\d+/g, '"$1":0') }
}

async function askMachine(method: string, target: string, body?: object): Promise<Answer> {
  const response = await fetch(service.baseUrl + target, {
    method,
    headers: { 'x-api-key': service.credentials.api_key },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}

async function askStack(method: string, address: string, body?: object): Promise<Answer> {
  const { pathname, search, searchParams } = new URL(address, 'https://d111111abcdef8.cloudfront.net')
  const { route, parameters } = routeOf(method, pathname)
  const event = exampleEvent<HttpEvent & { queryStringParameters: object }>('stats', event => {
    Object.assign(event, {
      routeKey: `${method} ${route.path}`,
      rawPath: pathname,
      rawQueryString: search.slice(1),
      queryStringParameters: Object.fromEntries(searchParams),
      pathParameters: parameters,
      ...(body && { body: JSON.stringify(body) }),
    })
    event.headers['x-api-key'] = service.credentials.api_key
    event.requestContext.http.method = method
  })
  const name = route.function
  const process =
    functions.get(name) ?? target.start(name, { AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint })
  functions.set(name, process)
  const result = await (await process).invoke<HttpResult>(event)
  return { status: result.statusCode, text: result.body ?? '' }
}

function routeOf(method: string, path: string): { route: Route; parameters: Record<string, string> } {
  for (const route of Object.values(routes) as Route[]) {
    const parts = route.path.split('/')
    const given = path.split('/')
    const isSame =
      parts.length === given.length && parts.every((part, i) => part.startsWith('{') || part === given[i])
    if (route.method !== method || !isSame) continue
    const named = parts.flatMap((part, i) => (part.startsWith('{') ? [[part.slice(1, -1), given[i]]] : []))
    return { route, parameters: Object.fromEntries(named) }
  }
  return expect.unreachable(`${method} ${path}`)
}

async function totalEvents(): Promise<number> {
  return JSON.parse((await askMachine('GET', '/projects')).text).projects[0].total_events
}

/** The machine's reports have both of its events, and what identify said of the person. */
async function allAreCounted(before: number): Promise<void> {
  expect((await askMachine('GET', '/properties?project=demo')).text).toContain('"late"')
  const journey = await askMachine('GET', '/journey?project=demo&user_id=user_ada')
  expect(journey.text).toContain('"late"')
  expect(journey.text).toContain('"plan":"pro"')
  expect(await totalEvents()).toBe(before + 2)
}

const openSourceOf = (dataDir: string) =>
  openSource({ dataDir, target: 'the stack', compactionMemoryMb: 256, clock: systemClock, log: () => {} })

async function promoteNow(dataDir: string): Promise<{ ending: string; calls: string[] }> {
  const source = openSourceOf(dataDir)
  const calls: string[] = []
  try {
    const ending = await promote({
      source,
      target: {
        state: target.state,
        lake: target.lake,
        catalog: { first: 1, last: 20_000 },
        texts: promotionTexts.stack,
        service: {
          readEmailKey: async () => secrets.read(),
          writeEmailKey: async key => secrets.write(key),
          stopWriters: async () => void calls.push('stop'),
          areStopped: async () => true,
          startWriters: async () => void calls.push('start'),
          async reconcile() {
            calls.push('reconcile')
            const { lost } = await target.invoke<{ lost: Record<string, number> }>('restore', {})
            return lost
          },
        },
      },
      clock: systemClock,
      print: () => {},
    })
    return { ending, calls }
  } finally {
    source.close()
  }
}

/** One run of the way back. `calls`: what the stack was told. */
async function moveBackNow(dataDir: string, isLast: boolean): Promise<{ ending: string; calls: string[] }> {
  const id = 'the stack'
  const calls: string[] = []
  const arrival = openArrival(dataDir, id)
  try {
    const source = await openStackSource({
      ...{ id, state: target.state, s3: target.s3, bucket: target.bucket, copied: arrival.copied, isLast },
      stack: {
        readEmailKey: async () => secrets.read(),
        stopWriters: async () => void calls.push('stop'),
        areStopped: async () => true,
      },
      stops: { wereSeen: () => arrival.note().is_stopped, note: () => arrival.change({ is_stopped: true }) },
      print: () => {},
    })
    const { stream } = target
    const folder = await openTarget({
      ...{ dataDir, arrival, stream, compactionMemoryMb: 256, clock: systemClock, log: () => {} },
    })
    try {
      const ending = await promote({ source, target: folder, clock: systemClock, print: () => {} })
      return { ending, calls }
    } finally {
      await folder.close()
    }
  } finally {
    arrival.close()
  }
}

/** The names of the events of an answer, in alphabetical order. */
function eventNames({ text }: Answer): string[] {
  const { events } = JSON.parse(text) as { events: { event: string }[] }
  return events.map(({ event }) => event).toSorted()
}

test('twenty questions get the same answers before a promotion and after it', async () => {
  const before = await totalEvents()
  const token = service.credentials.project_token
  const identify = {
    token,
    previous_id: 'anon_ada',
    user_id: 'user_ada',
    traits: { email: 'ada@example.com', plan: 'pro' },
  }
  const sent = [
    await askMachine('POST', '/identify', identify),
    await askMachine('POST', '/track', { token, event: 'before', user_id: 'user_ada' }),
  ]
  expect(sent.map(({ status }) => status)).toEqual([202, 202])
  // Beside the service that runs.
  expect(await promoteNow(service.dataDir)).toEqual({ ending: 'ahead', calls: ['stop'] })
  // The stack takes events of the sites before it has the last copy.
  const early = await askStack('POST', '/track', { token, event: 'early', user_id: 'user_ada' })
  expect(early.status, early.text).toBe(202)

  const late = await askMachine('POST', '/track', { token, event: 'late', user_id: 'user_ada' })
  expect(late.status).toBe(202)
  await eventually(() => allAreCounted(before))
  const answers: Answer[] = []
  for (const question of QUESTIONS) answers.push(await askMachine('GET', question))
  const lookUp = ['POST', '/events/lookup', { project: 'demo', email: 'ada@example.com' }] as const
  const found = await askMachine(...lookUp)
  expect(found.text).toContain('"late"')
  expect(answers.map(({ status }, i) => `${status} ${QUESTIONS[i]}`)).toEqual(
    QUESTIONS.map(each => `200 ${each}`),
  )
  await service.stop()
  expect(await promoteNow(service.dataDir)).toEqual({ ending: 'done', calls: ['reconcile', 'start'] })
  await expect(startService({ dataDir: service.dataDir })).rejects.toThrow(/was promoted to AWS/)
  expect(secrets.read()).toBe(readFileSync(join(service.dataDir, 'email-key'), 'utf8'))

  for (const [i, question] of QUESTIONS.entries())
    expect.soft(comparable(await askStack('GET', question)), question).toEqual(comparable(answers[i]))
  expect.soft(comparable(await askStack(...lookUp))).toEqual(comparable(found))

  // What has waited in the stream comes to the rest.
  const { shard, entries } = await target.readStream()
  expect(entries).toHaveLength(1)
  await target.invoke('lake', kinesisEvent(shard, entries))
  expect(eventNames(await askStack(...lookUp))).toEqual(['before', 'early', 'late'])
})

test('after the way back a new folder of one machine gives the same answers as the stack', async () => {
  const token = service.credentials.project_token
  const dataDir = join(newFolder(), 'data')
  const lookUp = ['POST', '/events/lookup', { project: 'demo', email: 'ada@example.com' }] as const
  // Beside the stack that runs.
  expect(await moveBackNow(dataDir, false)).toEqual({ ending: 'ahead', calls: [] })
  expect(await runFailingService({ dataDir })).toMatchObject({ code: 1 })
  const answers: Answer[] = []
  for (const question of QUESTIONS) answers.push(await askStack('GET', question))
  const found = await askStack(...lookUp)
  expect(await moveBackNow(dataDir, true)).toEqual({ ending: 'done', calls: ['stop'] })
  // The stack takes events until its name leads to the machine.
  const last = await askStack('POST', '/track', { token, event: 'last', user_id: 'user_ada' })
  expect(last.status, last.text).toBe(202)

  service = { ...(await startService({ dataDir, seed: true })), credentials: service.credentials }
  for (const [i, question] of QUESTIONS.entries())
    expect.soft(comparable(await askMachine('GET', question)), question).toEqual(comparable(answers[i]))
  expect.soft(comparable(await askMachine(...lookUp))).toEqual(comparable(found))
  // The token works as before, and the owner's key is no other one.
  const sent = await askMachine('POST', '/track', { token, event: 'home', user_id: 'user_ada' })
  expect(sent.status, sent.text).toBe(202)
  await eventually(async () => expect(eventNames(await askMachine(...lookUp))).toContain('home'))

  await expect(moveBackNow(dataDir, true)).rejects.toThrow('a service runs on')
  await service.stop()
  expect(await moveBackNow(dataDir, true)).toEqual({ ending: 'done', calls: [] })
  expect(await moveBackNow(dataDir, true)).toEqual({ ending: 'unchanged', calls: [] })
  service = { ...(await startService({ dataDir, seed: true })), credentials: service.credentials }
  // Beside the service.
  expect(await moveBackNow(dataDir, true)).toEqual({ ending: 'unchanged', calls: [] })
  await eventually(async () =>
    expect(eventNames(await askMachine(...lookUp))).toEqual(['before', 'early', 'home', 'last', 'late']),
  )
  await service.stop()
})
