import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
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
 * `--questions` print the set as JSON lines.
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
  },
})
const COUNTRY_HEADER = 'x-visitor-country'

const now = Date.now()
const questions = questionsAt(now).filter(({ id }) => options.only === undefined || id === options.only)
if (questions.length === 0) {
  console.error(`There is no question ${options.only}. --questions lists them.`)
  process.exitCode = 1
} else if (options.events) printLines(trafficAt(now))
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

/** A service with the traffic in an empty account. */
async function startOwn() {
  const dir = createBenchFolder()
  const port = await freePort()
  const child = startScript('local/main.ts', [], {
    ...{ PORT: String(port), DATA_DIR: dir, SEED_DEMO: 'false' },
    ...{ TRUSTED_PROXIES: '127.0.0.1,::1', COUNTRY_HEADER },
  })
  const stop = async () => {
    const exit = new Promise(resolve => child.once('exit', resolve))
    child.kill('SIGTERM')
    await exit
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    await waitUntilResponding(port, child)
    const { api_key: token } = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
    const baseUrl = `http://localhost:${port}`
    await seed({ baseUrl, apiKey: token, countryHeader: COUNTRY_HEADER }, now)
    return { url: `${baseUrl}/mcp`, token, stop }
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
