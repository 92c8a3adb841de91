import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DEMO_EVENTS } from '#core/demo/demo-records'
import { askDemo, demoReport } from './agent/ask-demo.ts'
import { askModel } from './agent/ask-model.ts'
import { connectTools } from './agent/mcp-tools.ts'
import { probe } from './agent/probe.ts'
import { questionsAt } from './agent/questions.ts'
import { modelReport, probeReport } from './agent/report.ts'
import { seed } from './agent/seed.ts'
import { dateAt, trafficAt } from './agent/traffic.ts'
import { createBenchFolder, freePort, startScript, waitUntilResponding } from './bench-service.ts'

/**
 * `npm run bench -- agent`: 25 questions with known numbers over POST /mcp (bench/agent/README.md). Without
 * options, the recorded calls of each question, on a service of its own. `--model-url … --model …` asks a
 * model, with the key in MODEL_KEY; `--repeat 3` asks it several times. `--mcp … ` asks another server, with
 * the token in MCP_TOKEN; its account has the events already. `--only <id>` asks one question. `--events` and
 * `--questions` print the set as JSON lines. `--demo` asks ten questions about the demo by HTTP and by MCP,
 * on a service of its own or that of `--url`, and says what each costs.
 */
const { values: options } = parseArgs({
  options: {
    'model-url': { type: 'string' },
    model: { type: 'string', default: '' },
    mcp: { type: 'string' },
    only: { type: 'string' },
    repeat: { type: 'string', default: '1' },
    events: { type: 'boolean', default: false },
    questions: { type: 'boolean', default: false },
    demo: { type: 'boolean', default: false },
    url: { type: 'string' },
  },
})
const COUNTRY_HEADER = 'x-visitor-country'

const now = Date.now()
const questions = questionsAt(now).filter(({ id }) => options.only === undefined || id === options.only)
if (questions.length === 0) {
  console.error(`There is no question ${options.only}. --questions lists them.`)
  process.exitCode = 1
} else if (options.events) printLines(trafficAt(now))
else if (options.demo) await runDemo()
else if (options.questions)
  printLines(questions.map(({ shows, ...question }) => ({ ...question, shows: shows.map(String) })))
else await run()

async function run(): Promise<void> {
  const target =
    options.mcp === undefined
      ? await startOwn()
      : { url: options.mcp, token: process.env.MCP_TOKEN ?? '', stop: async () => {} }
  try {
    const tools = await connectTools(target.url, target.token)
    const modelUrl = options['model-url']
    if (modelUrl === undefined) {
      const results = []
      for (const question of questions) results.push(await probe(question, tools.callTool, tools.listTokens))
      print(probeReport(results))
      if (results.some(({ problems }) => problems.length > 0)) process.exitCode = 1
    } else {
      const model = {
        url: modelUrl.replace(/\/$/, ''),
        name: options.model,
        key: process.env.MODEL_KEY ?? null,
      }
      const results = []
      for (let round = 0; round < Number(options.repeat); round++) {
        for (const question of questions) results.push(await askModel(question, model, tools, dateAt(now, 0)))
      }
      print(modelReport(results))
    }
    await tools.close()
  } finally {
    await target.stop()
  }
}

/** Asks the ten questions about the demo. */
async function runDemo(): Promise<void> {
  const target = options.url === undefined ? await startDemo() : { url: options.url, stop: async () => {} }
  try {
    const session = await fetch(`${target.url}/demo/session`, { method: 'POST' })
    const { agent_session } = (await session.json()) as { agent_session: { access_token: string } }
    const tools = await connectTools(`${target.url}/mcp`, agent_session.access_token)
    const result = await askDemo(target.url, tools)
    print(demoReport(result))
    if (result.problems.length > 0) process.exitCode = 1
    await tools.close()
  } finally {
    await target.stop()
  }
}

/** A service with the demo. */
async function startDemo() {
  const service = await startService({ SEED_DEMO: 'true' })
  try {
    for (;;) {
      const response = await fetch(`${service.baseUrl}/stats?project=demo&since=30d&fields=totals`, {
        headers: { 'X-API-Key': service.token },
      })
      const { totals } = (await response.json()) as { totals?: { total_events: number } }
      if ((totals?.total_events ?? 0) >= DEMO_EVENTS) return { url: service.baseUrl, stop: service.stop }
      await sleep(1_000)
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

/** A service with the traffic in an empty account. */
async function startOwn() {
  const { baseUrl, token, stop } = await startService({
    ...{ SEED_DEMO: 'false', TRUSTED_PROXIES: '127.0.0.1,::1', COUNTRY_HEADER },
  })
  try {
    await seed({ baseUrl, apiKey: token, countryHeader: COUNTRY_HEADER }, now)
    return { url: `${baseUrl}/mcp`, token, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startService(env: Record<string, string>) {
  const dir = createBenchFolder()
  const port = await freePort()
  const child = startScript('local/main.ts', [], { PORT: String(port), DATA_DIR: dir, ...env })
  const stop = async () => {
    const exit = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await exit
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    await waitUntilResponding(port, child)
    const { api_key: token } = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
    return { baseUrl: `http://localhost:${port}`, token, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function printLines(values: readonly unknown[]): void {
  print(values.map(value => JSON.stringify(value)))
}

function print(lines: readonly string[]): void {
  console.log(lines.join('\n'))
}
