import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Lake } from '#core/ports'
import type { ReportProject, ReportServices } from '#core/reports/run/run'
import { createCompactor } from '#duckdb/compactor'
import { createFolderLake } from '#local/lake/folder'
import { openTestEngine } from '#test/support/test-engine'
import { type BuiltLake, buildLake } from './build-lake.ts'
import { withOldSegments } from './old-segments.ts'
import type { SentEvent } from './oracle/sent-event.ts'
import { withoutCopies } from './oracle.ts'
import { type History, NOW, recordsOf } from './random-history.ts'

const CREATED = new Date(NOW - 70 * 86_400_000).toISOString()

/** A lake with a random history, its reports' services, and what the oracle computes from. */
export type ReportLake = {
  services: ReportServices
  projects: ReportProject[]
  events: SentEvent[]
  lake: Lake
  built: BuiltLake
}

/** Runs the work over a lake that holds the history in its state of compaction, then deletes the lake. */
export async function withReportLake(
  given: Pick<History, 'epochs' | 'compacted' | 'mergeEnds'>,
  work: (lake: ReportLake) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-reports-'))
  const { epochs, sent } = recordsOf(given)
  const lake = createFolderLake(join(dir, 'lake'))
  const { compacted, mergeEnds } = given
  const tempDir = join(dir, 'temp')
  // Of the histories that are not read as on Athena, a quarter have segments that do not know which sessions
  // are split.
  const minComparedEvents = sent.length % 8 === 3 ? Number.POSITIVE_INFINITY : 0
  const create = (written: Lake) =>
    createCompactor({ lake: written, tempDir, log: () => {}, threads: 1, minComparedEvents })
  // A third of all histories have segments of a version that did not know where sessions came from.
  const compactor = sent.length % 3 === 1 ? withOldSegments(lake, create) : create(lake)
  const built = await buildLake({ lake, tempDir, epochs, compacted, mergeEnds, compactor })
  const engine = await openTestEngine({ lakeDir: join(dir, 'lake') })
  try {
    // Half of the histories are read as on Athena, where some statements have another form.
    const areScansBilled = sent.length % 2 === 0
    const services = {
      engine: { ...engine, areScansBilled },
      openLake: built.openLake,
      clock: { now: () => NOW },
    }
    const projects = ['proj_a', 'proj_b'].map(id => {
      const has_event_ids = sent.some(event => event.project_id === id && event.event_id !== null)
      return { id, name: id, bucket: 7, created_at: CREATED, has_event_ids }
    })
    await work({ services, projects, events: withoutCopies(sent), lake, built })
  } finally {
    await engine.close()
    await rm(dir, { recursive: true, force: true })
  }
}
