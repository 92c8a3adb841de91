// The process of test/local/thread-pool.test.ts: imports as local/main.ts does, keeps every statement of the
// engine busy, and then reads a file. It prints how many statements still run at that moment.
import '#local/thread-pool'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#core/sql/sql'
import { openQueryEngine } from '#duckdb/reads/query-engine'

const ENDLESS = sql`SELECT count(*) AS n FROM range(1000000000000) AS t(a) WHERE a % 7 = 3`
/** Time of the processor that says that the statements run, µs. */
const BUSY_US = 500_000
const concurrency = Number(process.env.QUERY_CONCURRENCY)
const lakeDir = await mkdtemp(join(tmpdir(), 'footfall-busy-'))
const engine = await openQueryEngine({ lakeDir, log: () => {}, threads: 1, concurrency })
const caller = new AbortController()
let running = 0
const statements = Array.from({ length: concurrency + 1 }, async (_, i) => {
  running++
  const account = i === concurrency ? 'acc_other' : 'acc_busy'
  await engine.rows(sql`${ENDLESS} AND ${i} = ${i}`, { account, signal: caller.signal }).catch(() => {})
  running--
})
// Only the statements use the processor while this waits. At once none of them runs yet.
const before = process.cpuUsage().user
while (process.cpuUsage().user - before < BUSY_US) await sleep(10)
await readFile(import.meta.filename)
process.stdout.write(`${running} statements run`)
caller.abort()
await Promise.all(statements)
await engine.close()
await rm(lakeDir, { recursive: true })
