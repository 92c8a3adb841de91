import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExportJob } from '#core/exports/export'
import { createExportStore } from '#core/exports/export-store'
import { createExportWorker, type ExportWorkerServices } from '#core/exports/export-worker'
import type { ExportWriter } from '#core/exports/export-writer'
import { createExports } from '#core/exports/exports'
import { createExportUpkeep } from '#core/exports/upkeep'
import { profiles } from '#core/plans/profile'
import type { Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { createExportWriter } from '#duckdb/export-writer'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { createFakeClock } from '#test/support/fake-clock'
import { fixedLake } from '#test/support/fixed-lake'
import { NOW } from '#test/support/random-history'
import { openTestState, type TestState } from '#test/support/test-state'

export const log = () => {}

type Given = Pick<ExportWorkerServices, 'engine' | 'openLake'> & {
  lake: Lake
  project?: Partial<Project>
  file?: ExportWorkerServices['file']
  writer?: ExportWriter
  state?: StateTable
}

/**
 * Exports of one project, whose jobs wait until `runAll`. `state`: default: one of its own, which `close`
 * closes.
 */
export async function openExports({ lake, project: fields = {}, state: given, ...reading }: Given) {
  const own = given === undefined ? await openTestState() : null
  const state = given ?? (own as TestState)
  const tempDir = await mkdtemp(join(tmpdir(), 'footfall-exports-'))
  const time = createFakeClock(NOW)
  const clock = { ...time, sleep: async () => {}, deadline: () => new AbortController().signal }
  const objects = createSimulatedLake()
  const jobs: ExportJob[] = []
  const project = {
    id: 'proj_a',
    name: 'proj_a',
    account_id: 'acc_1',
    deleted_at: null,
    ...fields,
  } as Project
  const erased: number[] = []
  const services = {
    client: state.client,
    table: state.table,
    ...{ clock, objects, profile: profiles.own },
    projects: { byId: async () => project },
    accounts: { byId: async () => ({ id: 'acc_1', tier: 'pro' }) as never },
    identity: { scopeOf: async () => ({}) as never, openLinks: async () => null },
    erasureFeed: { lastAt: async () => erased.at(-1) ?? null },
    jobs: { send: async (job: ExportJob) => void jobs.push(job) },
  }
  const worker = createExportWorker({
    ...services,
    // Every run ends after one file.
    runMs: 0,
    writer: createExportWriter({ lake, log, tempDir, memoryMb: 256, threads: 1 }),
    ...reading,
  })
  return {
    ...{ state, objects, jobs, project, erased, clock, worker },
    exports: createExports({ ...services, addressOf: null }),
    upkeep: createExportUpkeep(services),
    store: createExportStore({ ...state, clock }),
    account: { id: 'acc_1' } as never,
    /** Runs the jobs until none is left, and returns how many there were. */
    async runAll(): Promise<number> {
      let runs = 0
      for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        await worker.run(job)
        runs++
      }
      return runs
    },
    async close() {
      await own?.close()
      await rm(tempDir, { recursive: true, force: true })
    },
  }
}

export type Opened = Awaited<ReturnType<typeof openExports>>

/** Exports over an engine without rows, unless a test has another. */
export const openEmpty = (given: Partial<Given> = {}) =>
  openExports({
    ...{ lake: createSimulatedLake(), engine: { rows: async () => [] }, openLake: async () => fixedLake() },
    project: { bucket: 7, created_at: new Date(NOW).toISOString(), has_event_ids: false },
    ...given,
  })
