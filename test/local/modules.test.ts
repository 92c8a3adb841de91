import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What the process of `npm start` and its threads do before any module of the service. */

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** The options of Node in `npm start`, which is `exec node … local/main.ts`. */
const OPTIONS: string[] = scripts.start.split(' ').slice(2, -1)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-modules-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a module with the options of `npm start`, and returns what it prints. */
async function outputOf(code: string, env: NodeJS.ProcessEnv = process.env): Promise<unknown> {
  const path = join(folder, 'script.mjs')
  writeFileSync(path, code)
  const { stdout } = await run(process.execPath, [...OPTIONS, path, 'argument'], { cwd: ROOT, env })
  return JSON.parse(stdout)
}

test('ElectroDB gets our commands, and nothing loads the SDK, in the main thread and in a thread of ours', async () => {
  const code = `
    import { createRequire } from 'node:module'
    import { isMainThread, parentPort, Worker } from 'node:worker_threads'
    import { execArgv } from '${join(ROOT, 'local/thread-options.ts')}'
    await import('${join(ROOT, 'core/stores.ts')}')
    const require = createRequire('${ROOT}/package.json')
    const loaded = Object.keys(require.cache)
    const counts = {
      electrodb: loaded.filter(path => path.includes('/electrodb/')).length > 5,
      sdk: loaded.filter(path => /@aws-sdk.client-dynamodb|@smithy/.test(path)).length,
    }
    if (isMainThread) {
      new Worker(new URL(import.meta.url), { execArgv }).on('message', inThread => console.log(JSON.stringify([counts, inThread])))
    } else parentPort?.postMessage(counts)`
  const expected = { electrodb: true, sdk: 0 }
  expect(await outputOf(code)).toEqual([expected, expected])
})

test('the process keeps its arguments and its number when it begins again, and an operator’s own setting stays', async () => {
  const code = `console.log(JSON.stringify([process.ppid === ${process.pid}, process.argv[2], process.env.MALLOC_ARENA_MAX ?? null]))`
  const { MALLOC_ARENA_MAX: _, ...env } = process.env
  const arenas = process.platform === 'linux' ? '2' : null
  expect(await outputOf(code, env)).toEqual([true, 'argument', arenas])
  expect(await outputOf(code, { ...env, MALLOC_ARENA_MAX: '7' })).toEqual([true, 'argument', '7'])
})

test('an idle thread gives back the memory of what it no longer uses', async () => {
  const code = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { collectWhenIdle } from '${join(ROOT, 'local/collect-garbage.ts')}'
    collectWhenIdle({ log: () => {}, lookMs: 20 })
    const fill = () => Array.from({ length: 400_000 }, (_, i) => ({ i, text: 'x' + i }))
    const kept = [fill()]
    const before = process.memoryUsage().heapTotal
    kept.length = 0
    while (process.memoryUsage().heapTotal > before / 2) await sleep(50)
    console.log('true')`
  expect(await outputOf(code)).toBe(true)
})

test('a system that does not say how much memory there is, as at the limit of open files, does not end the process', async () => {
  const code = `
    import { collectWhenIdle } from '${join(ROOT, 'local/collect-garbage.ts')}'
    let looks = 0
    const memory = () => {
      looks += 1
      throw new Error('EMFILE')
    }
    const codes = []
    collectWhenIdle({ log: code => codes.push(code), lookMs: 5, memory })
    const wait = setInterval(() => {
      if (looks < 3) return
      console.log(JSON.stringify(codes.slice(0, 2)))
      clearInterval(wait)
    }, 5)`
  expect(await outputOf(code)).toEqual(['TIMER_FAILED', 'TIMER_FAILED'])
})

const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
  .header

test.skipIf(glibcVersionRuntime === undefined)(
  'the query engine gives back memory that the C library keeps after it was freed',
  async () => {
    const code = `
      import { mkdirSync } from 'node:fs'
      import { DatabaseSync } from 'node:sqlite'
      import { setTimeout as sleep } from 'node:timers/promises'
      import { openQueryEngine } from '${join(ROOT, 'duckdb/reads/query-engine.ts')}'
      mkdirSync('${join(folder, 'lake')}', { recursive: true })
      const engine = await openQueryEngine({ lakeDir: '${join(folder, 'lake')}', log: () => {} })
      const databases = Array.from({ length: 20 }, () => {
        const database = new DatabaseSync(':memory:')
        database.exec('CREATE TABLE t (a); BEGIN')
        const insert = database.prepare('INSERT INTO t VALUES (?)')
        for (let i = 0; i < 3_000; i++) insert.run('x'.repeat(900))
        database.exec('COMMIT')
        return database
      })
      const most = process.memoryUsage.rss()
      // The last one keeps the end of the memory in use.
      for (const database of databases.slice(0, -1)) database.close()
      // DuckDB leaves out a trim that comes within 0.1 s of another one.
      while (most - process.memoryUsage.rss() <= 20_000_000) {
        await sleep(150)
        await engine.freeMemory()
      }
      await engine.close()
      await engine.freeMemory()
      console.log('true')`
    expect(await outputOf(code)).toBe(true)
  },
)
