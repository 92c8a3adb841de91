import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import { openQueryEngine } from '#duckdb/reads/query-engine'
import { createFolderLake } from '#local/lake/folder'
import { tables } from '#schemas/columns'
import { buildLake } from '#test/support/build-lake'
import { lakeWithOldFiles } from '#test/support/old-files'
import { NOW } from '#test/support/random-history'
import { oddSums } from './odd-sums.ts'
import { oddValues } from './odd-values.ts'
import { type RecordedStatement, recordingEngine } from './recording-engine.ts'
import { runIdentityReports } from './run-identity-reports.ts'
import { runAllReports, runChosenReports } from './run-reports.ts'
import { ADDED_COLUMNS, type SampleLake } from './sample-lakes.ts'

/** The last project has no events. */
const PROJECTS = [
  { id: 'proj_a', has_event_ids: true },
  { id: 'proj_b', has_event_ids: false },
  { id: 'proj_none', has_event_ids: true },
]
const CREATED = new Date(NOW - 90 * 86_400_000).toISOString()
/** A machine that is busy with other work makes a statement slow, which is no difference. */
const DUCKDB_MS = 600_000
/**
 * Writes a lake into a folder of its name below `root`, runs all reports on DuckDB, and returns their
 * statements.
 * `seed`: of the odd values. `log`: gets a text about the progress after each project.
 */
export async function recordStatements(
  root: string,
  sample: SampleLake,
  seed: number,
  log: (text: string) => void = () => {},
): Promise<RecordedStatement[]> {
  const lakeDir = join(root, sample.name)
  for (const { prefix } of Object.values(tables)) await mkdir(join(lakeDir, prefix), { recursive: true })
  const tempDir = join(root, '.temp')
  const lake = lakeWithOldFiles(createFolderLake(lakeDir), ADDED_COLUMNS, sample.isOld ?? (() => false))
  const { openLake } = await buildLake({ ...sample, lake, tempDir })
  const duckdb = await openQueryEngine({
    lakeDir,
    tempDir,
    log: () => {},
    timeoutMs: DUCKDB_MS,
    queueMs: DUCKDB_MS,
  })
  try {
    const engine = recordingEngine(duckdb)
    const services = { engine, openLake, clock: { now: () => NOW } }
    const projects = PROJECTS.map(project => ({
      ...project,
      name: project.id,
      bucket: 7,
      created_at: CREATED,
    }))
    const logProgress = (of: string) =>
      log(`${sample.name}, ${of}: ${engine.recordedStatements().length} statements on DuckDB`)
    for (const project of projects) {
      await runAllReports(services, project, sample)
      logProgress(project.id)
    }
    const [first, second] = projects
    if (first !== undefined) await runChosenReports(services, first)
    logProgress('conditions')
    if (sample.name === 'wide' && first !== undefined && second !== undefined) {
      await runIdentityReports(services, lake, [first, second], sample)
      logProgress('linked and erased users')
      // Engines that do not bill scans run other forms of some statements.
      const freeScans = { ...services, engine: { ...engine, areScansBilled: false } }
      await runAllReports(freeScans, first, sample)
      const openOlder = () => openLake().then(withoutSplit)
      await runAllReports({ ...freeScans, openLake: openOlder }, first, sample)
    }
    logProgress('all')
    for (const query of [...oddValues(seed), ...oddSums()]) await engine.rows(query)
    return engine.recordedStatements()
  } finally {
    await duckdb.close()
  }
}

/** The lake as if its segments did not know which sessions are split. */
function withoutSplit(lake: LakeSnapshot): LakeSnapshot {
  return {
    ...lake,
    async ofBucket(bucket) {
      const snapshot = await lake.ofBucket(bucket)
      return { ...snapshot, segments: snapshot.segments.map(segment => ({ ...segment, knowsSplit: false })) }
    },
  }
}
