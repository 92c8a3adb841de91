import { beforeEach, expect, test } from 'vitest'
import type { Log } from '#core/ports'
import { createServiceLog } from '#local/service-log'

let lines: Record<string, unknown>[]
let now: number
let log: Log
beforeEach(() => {
  lines = []
  now = Date.UTC(2026, 10, 20)
  log = createServiceLog({ write: line => void lines.push(JSON.parse(line)), now: () => now })
})

test('a line has the time, the code and the fields', () => {
  log('EPOCH_CLOSED', { epoch: 3 })
  expect(lines).toEqual([{ at: '2026-11-20T00:00:00.000Z', code: 'EPOCH_CLOSED', epoch: 3 }])
})

test('a line that repeats within a second is counted, and the count is written before the next line of any kind', () => {
  for (let i = 0; i < 5; i += 1) log('STREAM_UNAVAILABLE', { reason: 'full' })
  now += 1_000
  log('EPOCH_CLOSED', { epoch: 3 })
  log('STREAM_UNAVAILABLE', { reason: 'full' })
  expect(lines.map(({ at, ...line }) => line)).toEqual([
    { code: 'STREAM_UNAVAILABLE', reason: 'full' },
    { code: 'STREAM_UNAVAILABLE', reason: 'full', repeated: 4 },
    { code: 'EPOCH_CLOSED', epoch: 3 },
    { code: 'STREAM_UNAVAILABLE', reason: 'full' },
  ])
})

test('lines with different fields are not repetitions', () => {
  log('EPOCH_COMPACTED', { job: 'a' })
  log('EPOCH_COMPACTED', { job: 'b' })
  expect(lines.map(line => line.job)).toEqual(['a', 'b'])
})

test('a secret in a field is not written', () => {
  const key = `aak_${'0a'.repeat(40)}`
  log('REQUEST_FAILED', { route: 'GET /stats', error: `Error: ${key}\n  at x`, nested: [{ [key]: key }] })
  expect(lines).toMatchObject([{ error: 'Error: aak_…\n  at x', nested: [{ 'aak_…': 'aak_…' }] }])
})
