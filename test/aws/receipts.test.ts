import { expect, test } from 'vitest'
import { athenaEstimator } from '#aws/scan-estimator'
import { hotKey } from '#core/lake/model/keys'
import { addEpoch, emptyManifest } from '#core/lake/model/manifest'
import { openLake } from '#core/lake/read/snapshot'
import type { QueryEngine } from '#core/ports'
import { retention } from '#core/reports/retention/retention'
import { createReader } from '#core/reports/run/read'
import { runReport } from '#core/reports/run/run'
import { testProject } from '#test/support/account-fixtures'
import { segmentOf } from '#test/support/fixed-lake'

/**
 * On AWS no file is opened for an estimate or for freshness: both come from the manifest and from the listing
 * of hot files.
 */

const NOW = Date.UTC(2026, 10, 21, 12)
const HOUR = 3_600_000
const project = testProject({ bucket: 7, created_at: '2026-10-01T00:00:00Z' })
const segment = segmentOf({
  rows: 2_000_000,
  bytes: 60_000_000,
  parts: 2,
  firstAt: NOW - 48 * HOUR,
  lastAt: NOW - 2 * HOUR,
  lastArrival: (NOW - 2 * HOUR) / 1_000,
})
const hot = hotKey('shard', { first: '1', last: '9', epoch: 2 })

/** A reader of a lake with one segment and the hot files. */
function openReader(
  hotFiles: { key: string; size: number; writtenAt?: number }[],
  rows: QueryEngine['rows'],
) {
  const manifest = addEpoch(emptyManifest(project.bucket), 1, segment)
  const state = {
    lake: async () => ({ epoch: 2, fence: 1, leaseUntil: 0, epochOpenedAt: 0, epochTimes: [] }),
    manifest: async () => manifest,
  }
  return createReader({
    engine: { rows },
    estimator: athenaEstimator,
    openLake: () => openLake({ state, lake: { list: async () => hotFiles } }),
    clock: { now: () => NOW },
  })
}

function readRetention(reader: ReturnType<typeof openReader>, dry_run: boolean) {
  return reader.read({ account: 'acc_1', options: { receipt: true, sql: false, dry_run } }, services =>
    runReport(retention, services, { project, query: { period: 'week', cohorts: 8, event: 'signup' } }),
  )
}

test('a dry run on AWS estimates rows, bytes and dollars from the manifest and the listing, for each scan', async () => {
  const reader = openReader([{ key: hot, size: 30_000, writtenAt: NOW - 9_000 }], async () => {
    throw new Error('a statement ran')
  })
  const { body } = await readRetention(reader, true)
  // The statement scans the events twice: for the first event of each user, and for the later ones.
  const bytes = 2 * (60_000_000 + 30_000)
  expect(body).toMatchObject({
    dry_run: true,
    estimate: { rows: 2 * (2_000_000 + 1_000), bytes, cost_usd: (bytes * 5) / 1e12 },
    receipt: { fresh_until: NOW - 9_000 },
  })
})

test('on AWS the response knows events up to the newest hot file, or else up to the newest event of the segments', async () => {
  const rows = async () => []
  const hotFiles = [
    { key: hot, size: 1, writtenAt: NOW - 60_000 },
    { key: hotKey('other', { first: '1', last: '2', epoch: 2 }), size: 1, writtenAt: NOW - 5_000 },
  ]
  const { receipt } = await readRetention(openReader(hotFiles, rows), false)
  expect(receipt.fresh_until).toBe(NOW - 5_000)
  const compacted = await readRetention(openReader([], rows), false)
  expect(compacted.receipt.fresh_until).toBe(NOW - 2 * HOUR)
})
