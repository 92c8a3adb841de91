import { describe, expect, test } from 'vitest'
import { MAINTENANCE } from '#aws/maintenance-settings'
import { hotKey } from '#core/lake/model/keys'
import { addEpoch, emptyManifest, nextMerge, replaceSegments } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import type { Snapshot } from '#core/lake/read/snapshot'
import type { SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createReader } from '#core/reports/run/read'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { DAY_MS } from '#core/time'
import { monthlyCost } from '#cost/model'

import { readFigures } from '#cost/reads'
import { segmentBytesPerEvent } from '#cost/segments'
import { system } from '#cost/system'
import { usage } from '#cost/usage'
import type { TableName } from '#schemas/columns'
import { fixedLake, segmentOf } from '#test/support/fixed-lake'

/**
 * Checks the numbers of cost/system.ts for a read: it counts the S3 requests of the real GET /stats of a
 * small install.
 */

/** An install with 1M events a month and 1,000 reads a day, as in the cost goals of docs/cost.md. */
const SMALL = usage({ events: 1e6, batch: 10, projects: 1, reads: 30_000, range: 30, months: 12 })
const MINUTE_MS = 60_000
const EPOCH_MS = SMALL.epochMinutes * MINUTE_MS
const START = Date.UTC(2025, 10, 1)
const EVENTS_PER_EPOCH = (SMALL.events / system.minutesPerMonth) * SMALL.epochMinutes

/** A bucket at different times of the last two months of a year. */
const snapshots = [...simulateYear()]

function* simulateYear(): Generator<Snapshot & { now: number }> {
  let manifest = emptyManifest(3)
  for (let epoch = 1; epoch * EPOCH_MS < 365 * DAY_MS; epoch++) {
    const at = START + epoch * EPOCH_MS
    const bytes = EVENTS_PER_EPOCH * segmentBytesPerEvent
    const times = { firstAt: at - EPOCH_MS, lastAt: at - 1, lastArrival: Math.floor(at / 1_000) - 1 }
    const known = { eventIds: 1, knowsSources: true }
    const segment = segmentOf({ from: epoch, until: epoch + 1, bytes, ...known, ...times })
    manifest = mergeAll(addEpoch(manifest, epoch, segment))
    // A prime, so that the samples see all states of the merges.
    if (epoch * EPOCH_MS < 300 * DAY_MS || epoch % 101 !== 0) continue
    // On average, half of the files of the open epoch and the files of a closed one that is being compacted.
    const files = Math.ceil(SMALL.epochMinutes / 2) + system.stats.compactionMinutes
    const hot = Array.from({ length: files }, (_, i) =>
      hotKey('shard', { first: String(i), last: String(i), epoch: epoch + 1 }),
    )
    yield { ...manifest, epoch: epoch + 1, hot, now: at + EPOCH_MS / 2 }
  }
}

function mergeAll(manifest: ReturnType<typeof emptyManifest>) {
  for (let current = manifest; ; ) {
    const chosen = nextMerge(current, MAINTENANCE)
    const [first, last] = [chosen[0], chosen.at(-1)]
    if (first === undefined || last === undefined) return current
    const bytes = chosen.reduce((sum, segment) => sum + segment.bytes, 0)
    const eventIds = chosen.some(segment => keepsEventIds(segment, last)) ? 1 : 0
    const merged = { ...last, from: first.from, firstAt: first.firstAt, bytes, eventIds }
    current = { ...(replaceSegments(current, chosen, merged, 0) ?? current), retired: [] }
  }
}

function keepsEventIds(segment: Segment, last: Segment): boolean {
  return segment.eventIds > 0 && segment.lastArrival >= last.lastArrival - system.lake.eventIdHours * 3_600
}

/** Runs GET /stats for 30 days of a project that is a year old. Returns its statements. */
async function runStats(snapshot: Snapshot & { now: number }, has_event_ids: boolean): Promise<SqlQuery[]> {
  const queries: SqlQuery[] = []
  const { now } = snapshot
  const engine = {
    areScansBilled: true,
    async rows(query: SqlQuery) {
      queries.push(query)
      if (query.text.includes('copied_key')) return []
      if (!query.text.includes('grouping(')) return [{}]
      // Counts by day, event and country, which the next statement needs: the second part, as text.
      const counts = [
        [0b011, Math.floor(now / DAY_MS), null, 2, 1],
        [0b101, null, 'page_view', 2, 1],
        [0b110, null, 'DE', 2, 1],
      ]
      const types = 'bigint;bigint;varchar;bigint;bigint'
      return counts.map((values, i) => ({
        ...{ packed_part: 1, packed_place: i + 1, packed_types: types },
        ...Object.fromEntries(values.map((value, column) => [`packed_${column}`, value && String(value)])),
      }))
    },
  }
  const project: Project = {
    ...{ id: 'proj_1', account_id: 'acc_1', name: 'one', project_token: 'aat_1', bucket: 3, has_event_ids },
    ...{ allowed_origins: '*', link_domains: [], source_scan_id: null, deleted_at: null },
    ...{
      has_links: false,
      has_linked_anonymous_ids: false,
      portfolio_id: null,
      timezone: null,
      display_name: null,
      retention_days: null,
    },
    created_at: new Date(START).toISOString(),
  }
  // As a request runs it, with the counters that know the first event.
  const { read } = createReader({
    engine,
    openLake: async () => fixedLake(snapshot),
    clock: { now: () => now },
    usage: { totals: async () => [{ events: 2, reads: 0, times: { first: START, last: now } }] },
  })
  await read({ account: project.account_id, options: { receipt: false, sql: false } }, services =>
    runReport(stats, services, { project, query: { since: '30d', groupBy: 'day' } }),
  )
  return queries
}

/**
 * The requests of Trino: it lists each partition of a table once a statement, and reads each file once for
 * each place in the text. The hot files are in one epoch, which the function lists too.
 */
function countRequests(statements: readonly SqlQuery[]): { lists: number; gets: number } {
  const lists = statements.map(({ scans = [] }) => new Set(scans.map(({ table }) => table)).size)
  const gets = statements.flatMap(({ scans = [] }) => scans.map(({ files }) => files.length))
  return { lists: 1 + sum(lists), gets: sum(gets) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Counts how often the statements read a table. The engine reads it once for each place in the text. */
function countScans(statements: readonly SqlQuery[], table: TableName): number {
  return sum(statements.map(({ text }) => [...text.matchAll(new RegExp(`\\b${table}\\b`, 'g'))].length))
}

describe.each([
  ['no', false],
  ['yes', true],
] as const)('with event_ids: %s', (eventIds, hasEventIds) => {
  test('GET /stats has the statements and scans of the model', async () => {
    const { stats: model } = system
    const statements = await runStats(snapshots[0] as (typeof snapshots)[0], hasEventIds)
    const copyStatements = model.copyStatements[eventIds]
    expect(statements).toHaveLength(model.statements + copyStatements)
    const parts = model.sessionsScans + model.activityScans
    expect(countScans(statements, 'events_hot')).toBe(parts + copyStatements)
    expect(countScans(statements, 'segment_event_ids')).toBe(copyStatements)
    expect(countScans(statements, 'segment_activity')).toBe(model.activityScans)
    expect(countScans(statements, 'segment_sessions')).toBe(model.sessionsScans + model.earlierSessionScans)
    expect(countScans(statements, 'segment_events')).toBe(0)
  })

  test('GET /stats has about the S3 requests of the model', async () => {
    const requests = await Promise.all(
      snapshots.map(async snapshot => countRequests(await runStats(snapshot, hasEventIds))),
    )
    const mean = (name: 'lists' | 'gets') => sum(requests.map(request => request[name])) / requests.length
    const model = readFigures({ ...SMALL, eventIds })
    expect(model.lists / mean('lists')).toBeGreaterThan(0.95)
    expect(model.lists / mean('lists')).toBeLessThan(1.2)
    expect(model.gets / mean('gets')).toBeGreaterThan(0.9)
    expect(model.gets / mean('gets')).toBeLessThan(1.2)
  })
})

test('GET /stats looks for sessions before the range as far back as the model says', async () => {
  const snapshot = snapshots.at(-1) as (typeof snapshots)[0]
  const [sessions] = await runStats(snapshot, false)
  const days = [
    ...(sessions?.text ?? '').matchAll(/date >= DATE '([\d-]+)' AND date <= DATE '([\d-]+)'/g),
  ].map(([, first, last]) => (Date.parse(String(last)) - Date.parse(String(first))) / DAY_MS + 1)
  // The last one is that of the part that counts the events.
  expect(days).toEqual([31, system.stats.earlierDates, 31])
})

test('a small install meets its target: 15 lists and 60 files a read, and $25 a month with 1,000 reads a day, without the alarms and the key of the edge that came later', () => {
  const { lists, gets } = readFigures(SMALL)
  expect(lists).toBeLessThanOrEqual(15)
  expect(gets).toBeLessThanOrEqual(60)
  // Nineteen alarm metrics, the secret of the edge, and the newest epoch four times a day instead of once.
  const added = 19 * 0.1 + 0.4 + (3 * 0.3) / 24
  expect(monthlyCost(SMALL).total).toBeLessThanOrEqual(25 + added)
})
