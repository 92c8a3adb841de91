import { describe, expect, test } from 'vitest'
import type { Facts } from '#local/doctor/facts'
import { findings } from '#local/doctor/findings'
import { growthPerDay } from '#local/doctor/first-stop'
import type { Reach } from '#local/doctor/reach'
import type { ServiceState } from '#local/watch/service-state'

/** What `footfall doctor` says of a machine; test/journeys/one-machine/doctor.test.ts asks a real one. */

const NOW = Date.parse('2026-11-20T12:00:00Z')
const DAY = 86_400_000

const reach: Reach = {
  address: 'https://stats.example.com',
  status: 200,
  failure: null,
  certificate: { validUntil: NOW + 60 * DAY, problem: null },
  probe: { peer: '::ffff:127.0.0.1', forwarded_for: '203.0.113.5', is_trusted: true, caller: '203.0.113.5' },
  date: NOW,
}
const state: ServiceState = {
  version: '1.2.3',
  pid: 7,
  uptime_seconds: 7_200,
  base_url: 'https://stats.example.com',
  settings: {
    BASE_URL: 'https://stats.example.com',
    HOST: 'localhost',
    TRUSTED_PROXIES: ['127.0.0.1', '::1'],
    SIGN_UP: null,
    QUERY_MEMORY_MB: 512,
    COMPACTION_MEMORY_MB: 256,
  },
  connections: 20_000,
  sign_in: [],
  readings: {
    lake_lag_seconds: 1,
    waiting_bytes: 0,
    waiting_epochs: 0,
    compaction_lag_seconds: 0,
    claim_age_seconds: 0,
    manifest_bytes: 0,
    erasures_waiting: 0,
    disk: { free: 10e9, size: 25e9, needed: 12e6, isReached: false },
    backup_age_seconds: 3_600,
  },
  failures: {},
}
const healthy: Facts = {
  now: NOW,
  dataDir: '/var/lib/footfall',
  state,
  settingsProblem: null,
  folder: { lakeBytes: 1e6, isOpenToOthers: false, hasState: true },
  disk: { free: 10e9, size: 25e9 },
  memory: { available: 1e9, size: 2e9 },
  backupAt: NOW - 3_600_000,
  isClockSet: true,
  reach,
  events: { '2026-11-19': 1_000, '2026-11-20': 10 },
}

type Changes = {
  settings?: Partial<ServiceState['settings']>
  readings?: Partial<ServiceState['readings']>
  reach?: Partial<Reach>
  state?: Partial<ServiceState>
}

function factsWith({ settings, readings, reach: reached, state: stated }: Changes): Facts {
  return {
    ...healthy,
    state: {
      ...state,
      ...stated,
      settings: { ...state.settings, ...settings },
      readings: { ...state.readings, ...readings },
    },
    reach: { ...reach, ...reached },
  }
}

/** What is not good, and the texts. */
function bad(facts: Facts) {
  return findings(facts).filter(({ level }) => level !== 'good')
}

test('a healthy server has nothing but good findings, one for each check', () => {
  expect(bad(healthy)).toEqual([])
  expect(findings(healthy).map(({ check }) => check)).toEqual([
    ...['service', 'settings', 'folder', 'disk', 'memory', 'clock', 'address', 'proxy', 'tls', 'sign_in'],
    ...['backup', 'freshness', 'log', 'first_to_stop'],
  ])
})

describe('a problem is named with what to do', () => {
  const disk = { free: 1e6, size: 25e9, needed: 12e6, isReached: true }
  const noProxy = { peer: '::ffff:127.0.0.1', forwarded_for: null, is_trusted: false, caller: '127.0.0.1' }
  const untrusted = { ...noProxy, forwarded_for: '203.0.113.5' }
  const cases: [string, Facts, string, RegExp][] = [
    ['no service', { ...healthy, state: null, reach: null, events: null }, 'service', /systemctl start/],
    ['no folder', { ...healthy, state: null, folder: null, reach: null, events: null }, 'service', /--data/],
    [
      'a wrong setting where no service runs',
      { ...healthy, state: null, reach: null, events: null, settingsProblem: 'PORT must be a whole number.' },
      'settings',
      /docs\/settings\.md/,
    ],
    [
      'a service on all networks that does not know its address',
      factsWith({ settings: { BASE_URL: null, HOST: '0.0.0.0' } }),
      'settings',
      /Set BASE_URL/,
    ],
    [
      'a folder that others may read',
      { ...healthy, folder: { lakeBytes: 1, hasState: true, isOpenToOthers: true } },
      'folder',
      /chmod 700/,
    ],
    [
      'a full disk',
      { ...factsWith({ readings: { disk } }), disk: { free: 1e6, size: 25e9 } },
      'disk',
      /Make room/,
    ],
    ['a clock that is ahead', factsWith({ reach: { date: NOW - 60_000 } }), 'clock', /set-ntp/],
    [
      'an address that nobody answers',
      factsWith({
        reach: { failure: 'ECONNREFUSED: x', status: null, probe: null, certificate: null, date: null },
      }),
      'address',
      /DNS/,
    ],
    ['an address of another service', factsWith({ reach: { probe: null } }), 'address', /Point the proxy/],
    [
      'a proxy without the header',
      factsWith({ reach: { probe: noProxy }, settings: { TRUSTED_PROXIES: null } }),
      'proxy',
      /TRUSTED_PROXIES=127\.0\.0\.1\b/,
    ],
    [
      'a proxy that is not trusted',
      factsWith({ reach: { probe: untrusted }, settings: { TRUSTED_PROXIES: ['10.0.0.1'] } }),
      'proxy',
      /TRUSTED_PROXIES=10\.0\.0\.1,127\.0\.0\.1/,
    ],
    [
      'a certificate that browsers refuse',
      factsWith({ reach: { certificate: { validUntil: NOW + 60 * DAY, problem: 'CERT_HAS_EXPIRED' } } }),
      'tls',
      /authority/,
    ],
    [
      'a public address without TLS',
      factsWith({ reach: { address: 'http://stats.example.com', certificate: null } }),
      'tls',
      /https/,
    ],
    [
      'people who may sign in and cannot',
      factsWith({ settings: { SIGN_UP: '@example.com' } }),
      'sign_in',
      /provider/,
    ],
    ['a copy of last week', { ...healthy, backupAt: NOW - 8 * DAY }, 'backup', /footfall backup/],
    [
      'events that do not get into reports',
      factsWith({ readings: { lake_lag_seconds: 900 } }),
      'freshness',
      /LAKE_BATCH_FAILED/,
    ],
  ]
  test.each(cases)('%s', (_, facts, check, action) => {
    expect(findings(facts)).toContainEqual({
      check,
      level: 'problem',
      text: expect.any(String),
      action: expect.stringMatching(action),
    })
  })
})

test.each<[string, Facts, string]>([
  ['a folder without a copy', { ...healthy, backupAt: null }, 'backup'],
  ['a clock of which nobody knows', { ...healthy, isClockSet: null }, 'clock'],
  ['a small memory', { ...healthy, memory: { available: 1e8, size: 1e9 } }, 'memory'],
  [
    'a certificate for ten days',
    factsWith({ reach: { certificate: { validUntil: NOW + 10 * DAY, problem: null } } }),
    'tls',
  ],
  ['failures in the log', factsWith({ state: { failures: { JOB_FAILED: 2 } } }), 'log'],
])('%s is a note', (_, facts, check) => {
  expect(bad(facts).map(finding => [finding.check, finding.level])).toEqual([[check, 'note']])
})

test('the disk or the certificate is named, whichever ends first', () => {
  const last = (facts: Facts) => findings(facts).at(-1)
  expect(last(healthy)).toMatchObject({ text: expect.stringContaining('valid for 60 days'), level: 'good' })
  // 1,010 events have 1 MB, so 1,000,000 a day are 990 MB.
  const busy = {
    ...healthy,
    events: { '2026-11-19': 1_000_000, '2026-11-20': 10_000 },
    folder: { lakeBytes: 1e9, isOpenToOthers: false, hasState: true },
  }
  expect(last(busy)).toMatchObject({ text: expect.stringContaining('room for 10 days'), level: 'good' })
  const full = { ...state.readings.disk, isReached: true }
  expect(last(factsWith({ readings: { disk: full } }))).toMatchObject({
    level: 'note',
    text: expect.stringContaining('refused now'),
  })
  expect(last({ ...healthy, reach: null, events: {} })).toMatchObject({
    text: expect.stringContaining('Nothing'),
  })
})

test('the growth is the mean of the last seven whole days, and of fewer for a younger service', () => {
  const folder = { lakeBytes: 2_000, isOpenToOthers: false, hasState: true }
  const ofDays = (events: Record<string, number>) => growthPerDay({ events, folder, now: NOW })
  expect(ofDays({ '2026-11-18': 100, '2026-11-19': 300, '2026-11-20': 600 })).toBe(400)
  expect(ofDays({ '2026-10-01': 930, '2026-11-19': 70 })).toBe(20)
  expect([ofDays({}), ofDays({ '2026-11-20': 5 })]).toEqual([null, null])
})
