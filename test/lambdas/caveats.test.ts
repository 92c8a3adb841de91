import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { CAVEATS, type CaveatCode, type Caveats } from '#schemas/caveats'
import { type RouteName, routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

const DAY = 86_400_000

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project
/** Of more users than a retention analyzes, most of them without a campaign. */
let crowd: Project

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({
    reading: { engine: folder.engine, openLake: () => built.openLake() },
  })
  project = await service.createProject()
  const visit = (user_id: string, daysAgo: number, properties = {}) => ({
    ...{ event: 'visit', user_id, session_id: `s-${user_id}-${daysAgo}` },
    ...{ timestamp: NOW - daysAgo * DAY - 60_000, properties: { path: `/${user_id}`, ...properties } },
  })
  const events = [
    ...[visit('ann', 9), visit('bob', 9), visit('ann', 2), visit('ann', 2), visit('cid', 1), visit('ann', 0)],
    ...[visit('ann', 1, { value: 1, currency: 'EUR' }), visit('bob', 1, { value: 1, currency: 'USD' })],
  ]
  crowd = await service.createProject()
  const many = Array.from({ length: 10_001 }, (_, i) => ({
    ...{ event: 'visit', user_id: `u-${i}`, session_id: `s-${i}`, timestamp: NOW - DAY - i },
    properties: {
      path: '/',
      ...(i === 0 ? { utm_source: 'news', utm_campaign: 'may' } : { referrer: 'https://google.com/' }),
    },
  }))
  built = await folder.build({
    epochs: [[[recordOf(project, events)], [recordOf(crowd, many)]], []],
    compacted: 1,
  })
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

type Asked = [name: RouteName, fields: Record<string, unknown>]
const STEPS = [{ event: 'visit' }, { event: 'none' }]
const CROWD = 'crowd'
const RAW = { metrics: ['event_count'], count_mode: 'raw' }

/** For each code a read that has it, and the same read that has it not. */
const CASES: Record<Exclude<CaveatCode, 'INTERVAL_INCLUDES_ZERO'>, { has: Asked[]; lacks: Asked[] }> = {
  SAMPLED: {
    has: [['retention', { project: CROWD, period: 'day', cohorts: 3 }]],
    lacks: [['retention', { period: 'day', cohorts: 3 }]],
  },
  MOSTLY_MISSING: {
    has: [
      ['conversion', { project: CROWD, goal: 'visit', by: 'source' }],
      ['sources', { project: CROWD, by: 'campaign' }],
    ],
    lacks: [
      ['conversion', { project: CROWD, goal: 'visit', by: 'referrer' }],
      ['conversion', { goal: 'visit', by: 'source' }],
      ['sources', { project: CROWD, by: 'source' }],
      ['sources', { by: 'campaign' }],
    ],
  },
  RANGE_BEFORE_DATA: {
    has: [
      ['stats', { since: '20d' }],
      ['pages', { since: '20d' }],
    ],
    lacks: [['stats', { since: '3d' }]],
  },
  RUNNING_INTERVAL: {
    has: [
      ['stats', { since: '2d' }],
      ['query', { ...RAW, group_by: ['date'], since: '2d' }],
    ],
    lacks: [
      ['stats', { since: '2d', until: '1d' }],
      ['query', { ...RAW, since: '2d' }],
      ['pages', { since: '2d' }],
    ],
  },
  PARTIAL_FIRST_DAY: {
    has: [
      ['query', { ...RAW, group_by: ['date'], since: new Date(NOW - 2 * DAY - 3_600_000).toISOString() }],
    ],
    lacks: [['query', { ...RAW, group_by: ['date'], since: '2d' }]],
  },
  WINDOW_NOT_OVER: {
    has: [['funnel', { steps: STEPS, since: '5d' }]],
    lacks: [['funnel', { steps: STEPS, since: '9d', until: '8d', conversion_window_hours: 24 }]],
  },
  LEFT_CUT_COHORT: {
    has: [['retention', { period: 'day', cohorts: 14 }]],
    lacks: [['retention', { period: 'day', cohorts: 3 }]],
  },
  CUT: {
    has: [
      ['pages', { limit: 1, type: 'entry' }],
      ['breakdown', { property: 'path', limit: 1 }],
    ],
    lacks: [['pages', { type: 'entry' }]],
  },
  MIXED_CURRENCIES: {
    has: [
      ['sources', { goal: 'visit' }],
      ['query', { metrics: ['sum(value)'], since: '3d' }],
      ['query', { metrics: ['avg(value)'], group_by: ['user_id'], since: '3d' }],
    ],
    lacks: [
      ['query', { metrics: ['sum(value)'], group_by: ['properties.currency'], since: '3d' }],
      [
        'query',
        { metrics: ['sum(value)'], filters: [{ field: 'user_id', op: 'eq', value: 'bob' }], since: '3d' },
      ],
      ['sources', { goal: 'visit', currency: 'EUR' }],
      ['sources', {}],
    ],
  },
  COUNT_MODE: {
    has: [['query', { metrics: ['event_count'], since: '5d' }]],
    lacks: [['query', { ...RAW, since: '5d' }]],
  },
}

async function caveatsOf([name, fields]: Asked): Promise<(CaveatCode | string)[]> {
  const route = routes[name]
  const asked = { ...fields, project: fields.project === CROWD ? crowd.name : project.name }
  const query = Object.fromEntries(Object.entries(asked).map(([key, value]) => [key, String(value)]))
  const { status, body } = await service.call(route, route.method === 'GET' ? { query } : { body: asked })
  expect(status, JSON.stringify(body)).toBe(200)
  const caveats = (body.caveats ?? []) as (Caveats[number] | string)[]
  return caveats.map(caveat => {
    if (typeof caveat === 'string') return /^([A-Z_]+): ./.exec(caveat)?.[1] ?? ''
    expect(caveat).toEqual({ code: caveat.code, effect: CAVEATS[caveat.code], message: expect.any(String) })
    return caveat.code
  })
}

test.each(Object.entries(CASES))(
  '%s is there where it is true, and nowhere else',
  async (code, { has, lacks }) => {
    for (const asked of has) expect(await caveatsOf(asked), JSON.stringify(asked)).toContain(code)
    for (const asked of lacks) expect(await caveatsOf(asked), JSON.stringify(asked)).not.toContain(code)
  },
)

test('the page of the contract has each code with its effect', async () => {
  const page = await readFile('docs/api/caveats.md', 'utf8')
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| `(\w+)` \|/gm)].map(([, code, effect]) => [code, effect])
  expect(Object.fromEntries(rows)).toEqual(CAVEATS)
})
