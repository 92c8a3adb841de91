import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { deployerEnv, REGION, ROOT } from '#rehearsal/cdk'
import type { Stack } from '#rehearsal/stack'
import type { World } from '#rehearsal/world'
import type { ProjectRecord } from '#schemas/projects'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import { callsOf } from './adopt.ts'
import { expectEqual } from './check.ts'

const NO_WAITS = resolve(import.meta.dirname, '../short-waits.cjs')
/** An event waits for the consumer, and for Trino on two cores. */
const VISIBLE_MS = 5 * 60_000
/** The service has to read the whole lake of a busy machine first. */
const START_MS = 2 * 60_000
/** Projects whose reads are compared: those of the journeys have few events each. */
const COMPARED = 12

type Call = ReturnType<typeof callsOf>

/**
 * `npm run promote -- --back` moves a stack to a folder of one machine, beside the running stack and again
 * with `--last`: a service on the folder then has the same key, projects and answers, and the events that the
 * stack has taken meanwhile. It leaves the stack stopped, so only its deletion comes after it.
 */
export async function movedBack(world: World, stack: Stack): Promise<string> {
  const { folder, consumer, patience } = world
  const dataDir = join(folder, 'moved-back')
  const port = await keepPort(folder)
  const ofStack = callsOf(world, stack)
  const ofMachine = callsAt(`http://127.0.0.1:${port}`, world.file.api_key)
  const move = (...args: string[]) => promoteBack(world, stack, dataDir, args)
  const withService = <T>(use: () => Promise<T>) => serve(dataDir, port, ofMachine, patience, use)

  const post = (path: string, body: object) => ofStack(path, { method: 'POST', body: JSON.stringify(body) })
  const newProject = async (name: string) =>
    (await post('/projects', { name })).body as unknown as ProjectRecord
  const send = async ({ project_token: token }: ProjectRecord, event: string) =>
    expectEqual((await post('/track', { token, event, user_id: 'ada' })).status, 202, `status of ${event}`)
  const [project, compared] = [await newProject('moved-back'), await newProject('moved-as-it-is')]
  const track = (event: string) => send(project, event)
  for (const event of ['signup', 'login', 'login']) await send(compared, event)
  await track('before')
  await eventually(
    async () => {
      expectEqual(await namesOf(ofStack, project.id), ['before'], 'events of the stack')
      expectEqual((await namesOf(ofStack, compared.id)).length, 3, 'number of events of the other project')
    },
    { timeoutMs: VISIBLE_MS * patience, everyMs: 2_000 },
  )
  // Our poller does not look whether its mapping is on. The emulator's own does.
  await consumer.stop()
  const expected = await answersOf(ofStack, project.id)
  await move()
  await track('beside')
  await move('--last')
  // 503 on AWS: the emulator has the status of Lambda.
  expectEqual((await ofStack('/projects')).status, 429, 'status of a read of the stopped stack')
  const found = await withService(async () => {
    expectEqual(await namesOf(ofMachine, project.id), ['before', 'beside'], 'events after the last copy')
    return answersOf(ofMachine, project.id)
  })
  expectEqual(found, expected, 'answers of the machine')
  await track('late')
  await move('--last')
  const names = await withService(() => namesOf(ofMachine, project.id))
  expectEqual(names, ['before', 'beside', 'late'], 'events with those that the stopped stack took')
  return `the same reads of ${expected.length} projects with the same key, and both events that the stack took meanwhile`
}

/** Runs the command as an operator does. Throws unless it succeeds. */
async function promoteBack({ gate }: World, stack: Stack, dataDir: string, args: string[]): Promise<void> {
  const command = [
    '--require',
    NO_WAITS,
    'bin/promote.ts',
    '--back',
    '--data',
    dataDir,
    '--stack',
    stack.name,
  ]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...command, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...deployerEnv(gate.endpoint, REGION) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`promote --back ${args.join(' ')} ended with ${code}:\n${output()}`)
}

/** Runs the service of one machine on a folder while `use` runs. */
async function serve<T>(
  dataDir: string,
  port: number,
  call: Call,
  patience: number,
  use: () => Promise<T>,
): Promise<T> {
  const { AWS_REGION: _, ...env } = process.env
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', './local/modules.mjs', 'local/main.ts'],
    { cwd: ROOT, env: { ...env, DATA_DIR: dataDir, PORT: String(port), SEED_DEMO: 'false' } },
  )
  const output = outputOf(child)
  const closed = once(child, 'close')
  try {
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`The service has ended:\n${output()}`)
        expectEqual((await call('/account')).status, 200, `status of the account:\n${output()}`)
      },
      { timeoutMs: START_MS * patience },
    )
    return await use()
  } finally {
    child.kill('SIGTERM')
    await closed
  }
}

function outputOf(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', text => {
      output = (output + text).slice(-4_000)
    })
  return () => output
}

/** Calls the API of a service with the key of the owner. */
function callsAt(baseUrl: string, apiKey: string): Call {
  return async (path, init = {}) => {
    const response = await fetch(baseUrl + path, { ...init, headers: { 'X-API-Key': apiKey } })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
}

async function namesOf(call: Call, project: string): Promise<string[]> {
  const { body } = await call(`/events?project=${project}&since=1d&limit=1000`)
  return (body.events as { event: string }[]).map(({ event }) => event).toSorted()
}

/** What reads say about the projects with the fewest events, without the one whose events still come. */
async function answersOf(call: Call, changing: string): Promise<unknown[]> {
  const { body } = await call('/projects')
  const projects = (body.projects as ProjectRecord[])
    .filter(({ id, total_events }) => id !== changing && total_events > 0)
    .toSorted((a, b) => a.total_events - b.total_events || (a.id < b.id ? -1 : 1))
  const answers = []
  for (const { id, name, project_token, total_events } of projects.slice(0, COMPARED)) {
    const { body: page } = await call(`/events?project=${id}&since=30d&limit=1000`)
    const { body: stats } = await call(`/stats?project=${id}&since=30d`)
    const { totals, events, sessions, countries } = stats
    const reads = { totals, events, sessions, countries }
    answers.push({ id, name, project_token, total_events, events: page.events, reads })
  }
  return answers
}
