import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

/**
 * `npm run bench -- <name> [options]`. Each file of this folder that has a name here says in its comment what
 * it measures, and with which options. The costs of a page are measured by Vitest, because they need its
 * browser.
 */
const BENCHES: Record<string, () => unknown> = {
  agent: () => import('./agent.ts'),
  chain: () => import('./chain.ts'),
  cli: () => import('./cli-start.ts'),
  'cold-start': () => import('./cold-start.ts'),
  dashboard: () => import('./dashboard.ts'),
  experiments: () => import('./experiments.ts'),
  frameworks: () => import('./frameworks.ts'),
  ingest: () => import('./ingest.ts'),
  live: () => import('./live.ts'),
  memory: () => import('./memory.ts'),
  'raw-reads': () => import('./raw-reads.ts'),
  reads: () => import('./reads.ts'),
  replay: () => runVitest('test/browser/replay/page-cost.test.ts', { REPLAY_BENCH: '1' }),
  restore: () => import('./restore.ts'),
  scan: () => import('./scan.ts'),
  scrub: () => import('./scrub.ts'),
  split: () => import('./split-sessions.ts'),
  stops: () => import('./stops.ts'),
  strangers: () => import('./strangers.ts'),
  tracker: () => runVitest('test/browser/tracker/page-cost.test.ts', { TRACKER_BENCH: '1' }),
}

function runVitest(file: string, env: Record<string, string>): void {
  const vitest = resolve(import.meta.dirname, '../node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', file], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  process.exitCode = status ?? 1
}

// A benchmark reads its options as if it had been started itself.
const [name = ''] = process.argv.splice(2, 1)
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
if (bench === undefined) {
  console.error(`Usage: npm run bench -- <name> [options]. The names are ${Object.keys(BENCHES).join(', ')}.`)
  process.exitCode = 1
} else await bench()
