import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createBenchFolder } from './bench-service.ts'
import type { Attack } from './strangers/attack.ts'
import type { AttackEnd, AttackOrder } from './strangers/attacker.ts'
import { ATTACKS } from './strangers/attacks.ts'
import { exchange } from './strangers/exchange.ts'
import { type Measures, startNeighbours } from './strangers/neighbours.ts'
import { HEAD, type Result, resultNotes, resultRow } from './strangers/report.ts'
import { serveSites } from './strangers/site-server.ts'
import { type AttackedService, startAttacked } from './strangers/start-attacked.ts'

/**
 * `npm run bench -- strangers`: what one stranger takes from the others. Each attack gets a
 * service of its own. Neighbours of the attacker send events and read reports, first alone (10 s), then
 * during the attack. The attacker is another process and has another loopback address. Prints a table in
 * Markdown: p50 and p99 of ingestion, of freshness and of the owner's reads, before and during, and the
 * memory. Linux only. To measure another version, run it in a clone of that version.
 *
 * - `--only 2`: attacks whose names begin with one of these texts (`1,2a`)
 * - `--size 0.1`: for a short run: a tenth of the connections, requests and seconds
 * - `--list`: print the names of the attacks
 */

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    size: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
  },
})
const size = Number(options.size)
const CALM_S = 10
/** Neither phase is shorter at any size, s. */
const SHORTEST_S = 3
/** An attack that is not done in this time is stopped, s. */
const LONGEST_S = 120
/** A service that answers again in this time after the attack has lived, s. */
const RECOVERY_S = 15
/** A service that does not stop in this time is killed, s. */
const STOP_S = 15

const chosen = ATTACKS.filter(({ name }) => options.only.split(',').some(start => name.startsWith(start)))
if (options.list) for (const { name, does } of ATTACKS) console.log(`${name}: ${does}`)
else if (chosen.length === 0) {
  console.error(`No attack begins with ${options.only}. --list names them.`)
  process.exitCode = 1
} else await runAll()

async function runAll(): Promise<void> {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { cwd: import.meta.dirname })
  console.log(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GB, load ${loadavg()[0]?.toFixed(1)}; commit ${String(commit).trim()}; size ${size}\n`,
  )
  const results: Result[] = []
  const sites = await serveSites()
  try {
    for (const attack of chosen) {
      const result = await measure(attack, sites.port)
      results.push(result)
      console.log(`${result.name}: ${attack.does}\n  ${resultNotes(result)}\n  ${resultRow(result)}\n`)
    }
  } finally {
    sites.close()
  }
  console.log([...HEAD, ...results.map(resultRow)].join('\n'))
}

async function measure(attack: Attack, sitePort: number): Promise<Result> {
  const dataDir = createBenchFolder()
  const service = await startAttacked(attack, { dataDir, sitePort })
  try {
    const seen = await attack.witness?.(service)
    const before = await measureNeighbours(service, sleep(lasting(CALM_S)))
    const attacker = startAttacker(attack, service)
    const ended = once(service.process, 'exit')
    const enough = Promise.all([sleep(lasting(attack.seconds)), attack.isCounted && attacker.done])
    const during = await measureNeighbours(service, Promise.race([enough, sleep(LONGEST_S * 1_000), ended]))
    const seenMeanwhile = await attack.witness?.(service)
    const answers = await attacker.stop()
    const lived = await howItLived(service)
    const witness =
      seen === undefined || seenMeanwhile === undefined ? null : ([seen, seenMeanwhile] as const)
    return { name: attack.name, before, during, lived, answers, witness }
  } finally {
    await end(service)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** A service that is too busy to stop is killed: its data are deleted anyway. */
async function end({ process: child }: AttackedService): Promise<void> {
  if (hasEnded(child)) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_S * 1_000)
  await exit
  clearTimeout(kill)
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Of a phase, ms. */
function lasting(seconds: number): number {
  return Math.max(SHORTEST_S, seconds * size) * 1_000
}

async function measureNeighbours(service: AttackedService, end: Promise<unknown>): Promise<Measures> {
  const neighbours = startNeighbours(service)
  await end
  return neighbours.stop()
}

function startAttacker({ name }: Attack, { port, project, token, links }: AttackedService) {
  const child = fork(new URL('./strangers/attacker.ts', import.meta.url), { execArgv: process.execArgv })
  const failed = once(child, 'exit').then((): [AttackEnd] => [{ answers: { 'the attacker failed': 1 } }])
  const end = Promise.race([once(child, 'message') as Promise<[AttackEnd]>, failed])
  const from: [string, string] = ['127.0.0.2', '127.0.0.3']
  child.send({ name, door: { port, project, token, links, from, size } } satisfies AttackOrder)
  return {
    done: end,
    async stop() {
      if (child.connected) child.send('stop')
      const [{ answers }] = await end
      return answers
    },
  }
}

/** `yes`, also after a pause; else how the service ended, or that it no longer answers. */
async function howItLived({ process: child, port, lastLines }: AttackedService): Promise<string> {
  const attackEnded = performance.now()
  const seconds = () => (performance.now() - attackEnded) / 1_000
  while (!hasEnded(child) && seconds() < RECOVERY_S) {
    const { outcome } = await exchange({ port, method: 'GET', path: '/health' })
    if (/^[2-4]/.test(outcome)) return seconds() < 1 ? 'yes' : `yes, after ${seconds().toFixed(0)} s`
  }
  console.log(`The service's last lines:\n${lastLines()}`)
  return hasEnded(child)
    ? `no, it ended with ${child.exitCode ?? child.signalCode}`
    : `no answer for ${RECOVERY_S} s`
}
