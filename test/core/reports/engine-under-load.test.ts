import { afterAll, beforeAll, expect, test } from 'vitest'
import { forEachConcurrent } from '#core/async/concurrency'
import { breakdown } from '#core/reports/breakdown'
import { funnel } from '#core/reports/funnel/funnel'
import { paths } from '#core/reports/paths/paths'
import { query } from '#core/reports/query/query'
import { receivedProperties } from '#core/reports/received-properties'
import { retention } from '#core/reports/retention/retention'
import { runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { testProject } from '#test/support/account-fixtures'
import { repeats } from '#test/support/depth'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { NOW } from '#test/support/random-history'
import { openTestEngine } from '#test/support/test-engine'
import { funnelDefaults, pathDefaults, queryDefaults } from '#test/trino/run-reports'
import { wideLake } from '#test/trino/sample-lakes'

/**
 * GET /sessions answered 500 three times in 3,800 requests under load: a race between the threads of DuckDB
 * in a window without an order (docs/decisions/2026-11-23-windows-without-order.md). These reports had such
 * windows. The filters leave few rows and the engine has more threads than processors, as where it happened.
 */

const ROUNDS = repeats(2, { countPerDepth: 4 })
const AT_ONCE = 8
const LONG_MS = 15 * 60_000

const project = testProject({ id: 'proj_a', bucket: 7, created_at: '2026-01-01T00:00:00Z' })
let folder: FolderLake
let openLake: Awaited<ReturnType<FolderLake['build']>>['openLake']

beforeAll(async () => {
  folder = await openFolderLake()
  openLake = (await folder.build(wideLake())).openLake
}, 120_000)

afterAll(() => folder.close())

test(
  'reports that run side by side in many threads never break the engine, and answer as they do alone',
  async () => {
    const logged: string[] = []
    const engine = await openTestEngine({
      lakeDir: folder.lakeDir,
      threads: AT_ONCE,
      concurrency: AT_ONCE,
      log: code => logged.push(code),
    })
    const services = { engine, openLake, clock: { now: () => NOW } }
    const since = '60d'
    const reports: (() => Promise<unknown>)[] = [
      () => runReport(sessions, services, { project, query: { since, limit: 20, user_id: 'user 3' } }),
      () => runReport(sessions, services, { project, query: { since, limit: 20, is_bounce: 1 } }),
      () =>
        runReport(query, services, {
          project,
          body: { ...queryDefaults, group_by: ['event'], limit: 1 },
        }),
      () => runReport(breakdown, services, { project, query: { since, property: 'path', limit: 5 } }),
      () => runReport(retention, services, { project, query: { period: 'week', cohorts: 8 } }),
      () => runReport(paths, services, { project, body: pathDefaults }),
      () => runReport(funnel, services, { project, body: funnelDefaults }),
      () => runReport(receivedProperties, services, { project, query: { since, sample: 100 } }),
    ]
    const alone: unknown[] = []
    for (const report of reports) alone.push(await report())
    const runs = Array.from({ length: ROUNDS }, () => reports.keys().toArray()).flat()
    await forEachConcurrent(runs, AT_ONCE, async number => {
      expect(await reports[number]?.()).toEqual(alone[number])
    })
    await engine.close()
    expect(logged).toEqual([])
  },
  LONG_MS,
)
