import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { scrubState } from '#local/state/scrub-state'
import { openState } from '#local/state/state'
import { execArgv } from '#local/thread-options'

/**
 * `npm run bench -- scrub [--mb 200] [--times 2]`: how long others wait while the bytes of erased items leave
 * a state of this size. One thread asks for the scrub, as the thread of the pipeline does, and measures how
 * long it was blocked. The main thread writes and reads an item every few ms and measures its slowest
 * request.
 */
const TICK_MS = 5
const ITEM_CHARACTERS = 400
const BATCH = 25

if (isMainThread) await measure()
else await scrubInThread()

async function measure(): Promise<void> {
  const { values } = parseArgs({
    options: { mb: { type: 'string', default: '200' }, times: { type: 'string', default: '2' } },
  })
  const folder = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'footfall-scrub-'))
  const path = join(folder, 'state.db')
  const state = await openState(path)
  const { client, table: TableName } = state
  const megabytes = () => Math.round(statSync(path).size / 1e6)
  for (let n = 0; megabytes() < Number(values.mb); n += BATCH) {
    const Item = (i: number) => {
      // Users come in no order of their keys.
      const id = createHash('sha256').update(String(i)).digest('hex')
      return { pk: `user#${id}`, sk: '-', text: id.repeat(ITEM_CHARACTERS / id.length) }
    }
    const requests = Array.from({ length: BATCH }, (_, i) => ({ PutRequest: { Item: Item(n + i) } }))
    await client.batchWrite({ RequestItems: { [TableName]: requests } })
  }
  for (let time = 0; time < Number(values.times); time++) {
    const worker = new Worker(new URL(import.meta.url), { workerData: path, execArgv })
    let isDone = false
    let result: { ms: number; pause: number } | undefined
    worker.on('message', message => {
      result = message
    })
    worker.once('exit', () => {
      isDone = true
    })
    const slowest = { write: 0, read: 0 }
    for (let n = 0; !isDone; n++) {
      const Key = { pk: `bench#${n % 1_000}`, sk: '-' }
      slowest.write = Math.max(
        slowest.write,
        await timed(() => client.put({ TableName, Item: { ...Key, n } })),
      )
      slowest.read = Math.max(slowest.read, await timed(() => client.get({ TableName, Key })))
      await sleep(TICK_MS)
    }
    if (result === undefined) throw new Error('The scrub failed.')
    console.log(
      `${megabytes()} MB: ${(result.ms / 1_000).toFixed(1)} s; the pipeline paused ${Math.round(result.pause)} ms at most; slowest write ${Math.round(slowest.write)} ms, read ${Math.round(slowest.read)} ms`,
    )
  }
  await state.close()
  rmSync(folder, { recursive: true, force: true })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

async function scrubInThread(): Promise<void> {
  let last = performance.now()
  let pause = 0
  const tick = () => {
    pause = Math.max(pause, performance.now() - last)
    last = performance.now()
  }
  const ticking = setInterval(tick, 1)
  const startedAt = performance.now()
  await scrubState(workerData as string, new AbortController().signal)
  tick()
  clearInterval(ticking)
  parentPort?.postMessage({ ms: performance.now() - startedAt, pause })
}
