import { expect, test } from 'vitest'
import type { EventStream } from '#core/ports'
import { createCounters } from '#local/watch/counters'
import { type MetricSources, toMetrics } from '#local/watch/metrics'
import { toPrometheusText } from '#local/watch/prometheus'
import { createReadings, type Readings } from '#local/watch/readings'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { exchangeOf } from '#test/lambdas/chain/exchange'

const readings: Readings = {
  lake_lag_seconds: 0.5,
  waiting_bytes: 10,
  waiting_epochs: 1,
  compaction_lag_seconds: 2,
  claim_age_seconds: 0,
  manifest_bytes: 400,
  erasures_waiting: 3,
  disk: { free: 100, size: 1_000, needed: 12, isReached: false },
  backup_age_seconds: null,
}

function textOf(counters = createCounters(), changes: Partial<MetricSources> = {}): string {
  return toPrometheusText(toMetrics({ readings, counters, version: '1.2.3', startedAt: 5_000, ...changes }))
}

const answer = (status: number) => async () => ({ status, headers: {}, body: '' })
const { request } = exchangeOf()

test('each metric has a help, a type, and lines of the text format alone', () => {
  const lines = textOf().trimEnd().split('\n')
  const names = lines.filter(line => line.startsWith('# HELP ')).map(line => line.split(' ')[2])
  expect(new Set(names).size).toBe(names.length)
  expect(lines.filter(line => line.startsWith('# TYPE ')).map(line => line.split(' ')[2])).toEqual(names)
  for (const line of lines.filter(line => !line.startsWith('#')))
    expect(line).toMatch(
      /^footfall_[a-z_]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? (-?[\d.]+(e[-+]\d+)?|NaN)$/,
    )
})

test('the quantiles of a report are those of its newest 1,000 reads, and its count is of all', async () => {
  const counters = createCounters()
  const respond = counters.ofFunction(answer(200))
  for (let i = 0; i < 1_500; i++) await respond(routes.stats, request)
  const [[path, reads] = expect.unreachable()] = counters.reads()
  expect([path, reads.count, reads.seconds.length]).toEqual(['/stats', 1_500, 1_000])
  const seconds = Float32Array.from({ length: 200 }, (_, i) => 200 - i)
  const text = textOf(
    Object.assign(counters, { reads: () => [['/stats', { count: 200, sum: 20_100, seconds }]] }),
  )
  expect(text).toContain('footfall_read_seconds{report="/stats",quantile="0.5"} 100\n')
  expect(text).toContain('footfall_read_seconds{report="/stats",quantile="0.99"} 198\n')
  expect(text).toContain('footfall_read_seconds_sum{report="/stats"} 20100\n')
  expect(text).toContain('footfall_read_seconds_count{report="/stats"} 200\n')
})

test('the number of series is bounded by the tables of routes, reasons and codes, whatever is asked', async () => {
  const counters = createCounters()
  const log = counters.ofLog(() => {})
  const refusals = counters.ofRefusals({ count: async () => {} })
  for (const route of Object.values<Route>(routes))
    for (const status of [200, 204, 303, 400, 404, 429, 500, 503])
      await counters.ofFunction(answer(status))(route, { ...request, path: `/${Math.random()}` })
  log('JOB_FAILED', { job: 'x'.repeat(1_000) })
  for (let i = 0; i < 100; i++) await refusals.count(`p${i}`, { reason: 'origin', events: 2, last: `o${i}` })
  const text = textOf(counters)
  const series = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  expect(series.length).toBeLessThan(400)
  expect(text).toContain('footfall_refused_events_total{reason="origin"} 200\n')
  expect(text).toContain('footfall_log_lines_total{code="JOB_FAILED"} 1\n')
  expect(text).toContain('footfall_answers_total{function="reports",status="5xx"}')
  expect(text).not.toContain('xxx')
})

test('a stream counts what it has acknowledged, and no refused record', async () => {
  const counters = createCounters()
  let isFull = false
  const full: EventStream = {
    shards: async () => [],
    read: async () => [],
    async append() {
      if (isFull) throw new Error('full')
    },
  }
  const stream = counters.ofStream(full)
  await stream.append([new Uint8Array(1), new Uint8Array(1)])
  isFull = true
  await expect(stream.append([new Uint8Array(1)])).rejects.toThrow('full')
  expect(textOf(counters)).toContain('footfall_records_total 2\n')
})

test('labels are escaped, the lag is NaN where a record cannot be read, and there is no age of a backup before the first one', () => {
  const text = textOf(undefined, { version: 'a"b\\c\nd', readings: { ...readings, lake_lag_seconds: null } })
  expect(text).toContain('footfall_info{version="a\\"b\\\\c\\nd"} 1\n')
  expect(text).toContain('footfall_lake_lag_seconds NaN\n')
  expect(text).not.toMatch(/^footfall_backup_age_seconds/m)
  const copied = textOf(undefined, { readings: { ...readings, backup_age_seconds: 60 } })
  expect(copied).toMatch(/^footfall_backup_age_seconds 60$/m)
})

test('erasures that wait are counted from the manifests, once a minute at most, and again after a failure', async () => {
  let now = 1_000_000
  let calls = 0
  let fails = true
  const batch = (first: number, number: number, doneAt: number | null) => ({ first, number, doneAt })
  const read = createReadings({
    lakeState: {
      lake: async () => ({ epoch: 4, epochOpenedAt: now, epochTimes: [] }),
      shards: async () => [],
      manifestHeads: async () => [{ bucket: 0, compacted: 2, bytes: 1 }],
      async readableManifests() {
        calls += 1
        if (fails) throw new Error('away')
        const manifests = [
          { tombstones: [batch(1, 4, 5), batch(5, 7, null)] },
          { tombstones: [batch(1, 1, null)] },
        ]
        return { manifests, unreadable: [] }
      },
    } as never,
    freshUntil: async () => now - 1_500,
    waitingBytes: async () => 7,
    disk: () => readings.disk,
    lastBackup: () => now - 10_000,
    clock: { now: () => now },
  })
  await expect(read()).rejects.toThrow('away')
  fails = false
  expect(await read()).toMatchObject({
    erasures_waiting: 4,
    lake_lag_seconds: 1.5,
    waiting_epochs: 2,
    waiting_bytes: 7,
    backup_age_seconds: 10,
  })
  await read()
  expect(calls).toBe(2)
  now += 60_000
  await read()
  expect(calls).toBe(3)
})
