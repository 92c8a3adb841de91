import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createBenchFolder, runLoad, startService, stop, watchMemory } from './bench-service.ts'
import type { LoadPlan } from './load.ts'
import { countEvents } from './sustained.ts'

/**
 * `npm run bench -- memory` measures the peak memory of the service and its compaction process. The goal is
 * 800 MB. It runs two loads, each against a new service: batches of 100 events with 800 properties, and
 * batches of 100 usual events. Each load sends as fast as the service answers. The clients use several
 * addresses, because one address may use only a quarter of the memory for request bodies. A measurement ends
 * SETTLE_MS after `GET /stats` counts all events, so that it includes the last compactions.
 *
 * - `--seconds 20`: length of each load
 * - `--only wide`: one load, `wide` or `usual`
 * - `--connections 64`: connections of the clients
 */

const GOAL_MB = 800
const EVENTS_OF_BATCH = 100
const POLL_MS = 500
/** Compaction of the last epochs goes on after their events can be read. */
const SETTLE_MS = 10_000
/** Each has a quarter of the room, and wide bodies are made for eight requests. */
const PEERS = 8

const LOADS: Record<string, Partial<LoadPlan>> = { wide: { keys: 800 }, usual: {} }

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    only: { type: 'string' },
    connections: { type: 'string', default: '64' },
  },
})

for (const [name, plan] of Object.entries(LOADS))
  if (values.only === undefined || values.only === name) await measure(name, plan)

async function measure(name: string, plan: Partial<LoadPlan>): Promise<void> {
  const dir = createBenchFolder()
  const service = await startService(dir, 1, { TRUSTED_PROXIES: '127.0.0.1' })
  const memory = watchMemory(service.process.pid as number)
  try {
    const startedAt = performance.now()
    const { requests, failed } = await runLoad(service, {
      ...{ path: '/track/batch', seconds: Number(values.seconds), peers: PEERS },
      connections: Number(values.connections),
      ...plan,
    })
    const sent = (requests - failed) * EVENTS_OF_BATCH
    const [project = ''] = service.projects ?? []
    while ((await countEvents(service, project)).events < sent) await sleep(POLL_MS)
    const perSecond = Math.round(sent / ((performance.now() - startedAt) / 1_000))
    await sleep(SETTLE_MS)
    console.log(
      `${name}: ${sent} events, ${perSecond} a second until they could be read, ${failed} of ${requests} requests refused; at most ${memory.stop()} MB (goal: ${GOAL_MB}; ${memory.parts()})`,
    )
  } finally {
    memory.stop()
    await stop(service)
    rmSync(dir, { recursive: true, force: true })
  }
}
