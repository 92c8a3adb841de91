import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { isCompared } from '#core/lake/compact/split-sessions'
import { segmentKey } from '#core/lake/model/keys'
import type { Segment } from '#core/lake/model/segment'
import { findSplitSessions } from '#duckdb/find-split-sessions'
import { withScratchDatabase } from '#duckdb/scratch-database'
import { createFolderLake } from '#local/lake/folder'
import { createBenchFolder } from './bench-service.ts'

/**
 * `npm run bench -- split`: how long a merged segment takes to be compared with the older segments of its
 * bucket (core/lake/compact/split-sessions.ts). The older segments are made by hand: their files of sessions
 * have random keys, five events a session.
 *
 * - `--events 100M`: events of the older segments
 */

const { values } = parseArgs({ options: { events: { type: 'string', default: '100M' } } })
const events = Number(values.events.replace('M', 'e6'))
const SEGMENT_EVENTS = 1_200_000
const EVENTS_OF_SESSION = 5
const BUCKET = 7

const folder = createBenchFolder()
try {
  const lakeDir = join(folder, 'lake')
  mkdirSync(join(lakeDir, 'segments/sessions', `bucket=${BUCKET}`), { recursive: true })
  const older: Segment[] = []
  const database = await (await DuckDBInstance.create(':memory:', { memory_limit: '1GB' })).connect()
  for (let i = 0; i * SEGMENT_EVENTS < events; i++) {
    const segment: Segment = {
      ...{ from: i + 1, until: i + 2, generation: 0, parts: 1, rows: SEGMENT_EVENTS, bytes: 24e6 },
      ...{
        firstAt: 0,
        lastAt: 0,
        lastArrival: 0,
        eventIds: 0,
        erased: 0,
        knowsSplit: true,
        knowsSources: true,
      },
    }
    const path = join(lakeDir, segmentKey('segment_sessions', BUCKET, segment, 0))
    await database.run(`COPY (
        SELECT 'proj_1' AS project_id, DATE '2026-11-01' AS date, CAST(random() * ${2 ** 53} AS bigint) AS session_key,
          TIMESTAMP '2026-11-01 00:00:00' + INTERVAL (range) MILLISECOND AS start_at,
          TIMESTAMP '2026-11-01 00:10:00' + INTERVAL (range) MILLISECOND AS end_at,
          CAST(5 AS bigint) AS event_count, CAST(0 AS bigint) AS may_be_split
        FROM range(${SEGMENT_EVENTS / EVENTS_OF_SESSION})) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`)
    older.push(segment)
  }
  database.closeSync()
  console.log(
    `${older.length} segments of ${(events / 1e6).toFixed(0)}M events; compared: ${isCompared(SEGMENT_EVENTS, older)}`,
  )
  const settings = {
    lake: createFolderLake(lakeDir),
    tempDir: join(folder, 'temp'),
    log: () => {},
    memoryMb: 128,
    threads: 1,
  }
  await withScratchDatabase(settings, async scratch => {
    const startedAt = performance.now()
    const isFound = await findSplitSessions(scratch, {
      ...{ bucket: BUCKET, rows: SEGMENT_EVENTS, firstAt: 0, older, minComparedEvents: undefined },
      sessionDates: `SELECT CAST(random() * ${2 ** 53} AS bigint) AS session_key, DATE '2026-11-02' AS date
        FROM range(${SEGMENT_EVENTS / EVENTS_OF_SESSION})`,
    })
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    console.log(
      `compared: ${isFound}, ${seconds} s, at most ${Math.round(process.resourceUsage().maxRSS / 1024)} MB of this process`,
    )
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
