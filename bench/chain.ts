import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { createAccessStores } from '#core/access-stores'
import { type Profile, profiles, readProfile } from '#core/plans/profile'
import { createStores } from '#core/stores'
import { gatherReads } from '#core/usage/gathered-reads'
import { createUsageStore } from '#core/usage/store'
import { accountChain } from '#lambdas/chain/account-chain'
import type { Endpoint } from '#lambdas/chain/chain'
import { publicChain } from '#lambdas/chain/public-chain'
import type { HttpRequest } from '#lambdas/http/http'
import { GATHER_MS } from '#local/storage'
import { systemClock } from '#providers/system-clock'
import { routes } from '#schemas/routes'
import { connectDynalite } from '#test/support/dynalite-state'
import { median } from './percentile.ts'

/**
 * `npm run bench -- chain`: measures the processor time that the common chain takes for a request. Parsing
 * alone is measured by the same rows without the steps of accounts. The state table runs in another thread,
 * as it is another machine on AWS: its time does not count, but the time of our client for it does. The cases
 * take turns, so other load on the machine slows all of them equally. --rounds 11 turns of each case
 */

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '11' } } })
const rounds = Number(options.rounds)
/** Requests of a turn. The clock of the processor time has steps of 1 to 4 ms, so fast cases need many. */
const REQUESTS = { fast: 5_000, slow: 150, gathered: 500 }

const worker = new Worker(new URL('./chain-state.ts', import.meta.url))
const [endpoint] = (await once(worker, 'message')) as [string]
const connection = connectDynalite(endpoint)
let stateRequests = 0
connection.client.middlewareStack.add(
  next => args => {
    stateRequests += 1
    return next(args)
  },
  { step: 'initialize', name: 'count' },
)
let now = Date.now()
const clock = { ...systemClock, now: () => now }
const log = () => {}

/**
 * The services of a process of this profile. `waitMs`: how long it gathers what reads write; 0: as on AWS.
 */
function servicesOf(profile: Profile, waitMs: number) {
  const usage = gatherReads(createUsageStore(connection), { waitMs, clock, log })
  const stores = createStores(connection, clock, { usage })
  const options = { ...connection, ...stores, clock, log, profile, admitted: [], gatherMs: waitMs }
  const access = createAccessStores(options)
  const flush = () => Promise.all([usage.flush(), access.audit.flush()])
  return { ...stores, ...access, flush, clock, log, baseUrl: 'https://footfall.example' }
}

/** The benchmark sends more than a plan allows in a minute. */
const hostedProfile = readProfile('hosted', 'pro.rate_limit_rpm=1000000')
const own = servicesOf(profiles.own, GATHER_MS)
const hosted = servicesOf(hostedProfile, GATHER_MS)
const ownOnAws = servicesOf(profiles.own, 0)
const hostedOnAws = servicesOf(hostedProfile, 0)
const account = await own.accounts.create({ email: 'bench@example.com', tier: 'pro', complimentary: true })
const { project } = await own.projects.create({ account, name: 'bench' })
const session = await own.agentSessions.issue(account.id, {
  client_type: 'bench',
  client_name: null,
  client_instance_id: null,
  label: null,
  scopes: ['account:read', 'analytics:read'],
})
const cookie = `__Host-footfall-session=${(await own.browserSessions.create(account.id)).token}`
const bearer = { authorization: `Bearer ${session.access_token}` }
const key = { 'x-api-key': await own.accounts.issueApiKey(account.id) }

const readAccount = (services: typeof own) =>
  accountChain(services)(routes.readAccount)(async () => ({ status: 200, body: {} as never }))
/**
 * The chain of a report. `readsProject`: also what the report itself reads of its project
 * (lambdas/reports/handler.ts).
 */
const stats = (services: typeof own, { readsProject = false } = {}) =>
  accountChain({
    ...services,
    projects: { ...services.projects, resolve: services.projects.resolveRecent },
  })(routes.stats)(async call => {
    if (readsProject) await services.readProject(call.project)
    return { status: 200, body: {} as never }
  })
const parsing = publicChain(own)({ ...routes.stats, auth: 'none' })(async () => ({
  status: 200,
  body: {} as never,
}))

type Case = {
  name: string
  endpoint: Endpoint
  headers: Record<string, string>
  speed: keyof typeof REQUESTS
  /** Whether the credential is looked up for each request. */
  isCold?: boolean
}
const cases: Case[] = [
  { name: 'parsing alone', endpoint: parsing, headers: {}, speed: 'fast' },
  { name: 'GET /account, agent session', endpoint: readAccount(own), headers: bearer, speed: 'fast' },
  { name: 'GET /account, API key', endpoint: readAccount(own), headers: key, speed: 'fast' },
  { name: 'GET /account, cookie', endpoint: readAccount(own), headers: { cookie }, speed: 'fast' },
  {
    name: 'GET /account, agent session that is in no cache',
    endpoint: readAccount(own),
    headers: bearer,
    speed: 'slow',
    isCold: true,
  },
  {
    name: 'GET /stats, with project, metering and audit',
    endpoint: stats(own),
    headers: bearer,
    speed: 'gathered',
  },
  {
    name: 'the same with the limits of a hosted plan',
    endpoint: stats(hosted),
    headers: bearer,
    speed: 'gathered',
  },
  {
    name: 'the first of them, and what the report reads of its project and context',
    endpoint: stats(own, { readsProject: true }),
    headers: bearer,
    speed: 'slow',
  },
  {
    name: 'GET /stats on AWS, with its writes before the response',
    endpoint: stats(ownOnAws),
    headers: bearer,
    speed: 'slow',
  },
  {
    name: 'the same with the limits of a hosted plan',
    endpoint: stats(hostedOnAws),
    headers: bearer,
    speed: 'slow',
  },
]

async function measure({ endpoint, headers, speed, isCold }: Case): Promise<Cost> {
  const request: HttpRequest = {
    method: 'GET',
    path: '/stats',
    params: {},
    query: { project: project.id, since: '7d' },
    headers,
    body: new Uint8Array(),
    ip: null,
  }
  const requests = REQUESTS[speed]
  stateRequests = 0
  const before = process.threadCpuUsage()
  for (let i = 0; i < requests; i++) {
    if (isCold === true) own.agentSessions.forget()
    const { status, body } = await endpoint(request)
    if (status !== 200) throw new Error(`The request failed: ${status} ${body}`)
  }
  // What waits to be written belongs to these requests.
  await Promise.all([own.flush(), hosted.flush()])
  const { user, system } = process.threadCpuUsage(before)
  // No case starts with what another has looked up.
  now += 5_001
  return { microseconds: (user + system) / requests, stateRequests: stateRequests / requests }
}

/** Means of one request. */
type Cost = { microseconds: number; stateRequests: number }

const costs = cases.map((): Cost[] => [])
for (let round = -2; round < rounds; round++) {
  for (const [i, each] of cases.entries()) {
    const cost = await measure(each)
    // The first rounds compile the code.
    if (round >= 0) costs[i]?.push(cost)
  }
}

const medians = costs.map(values => ({
  microseconds: median(values.map(({ microseconds }) => microseconds)),
  stateRequests: median(values.map(({ stateRequests }) => stateRequests)),
}))
console.log(`Processor time of a request, medians of ${rounds} turns:`)
for (const [i, { name }] of cases.entries()) {
  const { microseconds, stateRequests } = medians[i] as Cost
  const beyond =
    i === 0 ? '' : `, ${(microseconds - (medians[0]?.microseconds ?? 0)).toFixed(1)} beyond parsing`
  const table = stateRequests < 0.1 ? 'none' : stateRequests.toFixed(1)
  console.log(`  ${name}: ${microseconds.toFixed(1)} µs${beyond}; requests to the state table: ${table}`)
}

connection.client.destroy()
worker.postMessage('close')
await once(worker, 'exit')
