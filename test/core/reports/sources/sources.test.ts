import { afterAll, beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import type { sourcesResponse } from '#schemas/sources'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project

/** The sessions of one visitor each: the properties of the first page, and what was bought then. */
const VISITS: [session: string, page: Record<string, unknown> | null, bought: Record<string, unknown>[]][] = [
  ['google', { referrer: 'https://www.google.de/' }, [{ value: 19.9, currency: 'EUR' }]],
  ['google-2', { referrer: 'https://www.google.com/search' }, [{ value: 0.1, currency: 'eur' }, {}]],
  ['bing', { referrer: 'https://bing.com/' }, [{ value: 1000, currency: 'JPY' }]],
  ['ad', { referrer: 'https://www.google.de/', click_id: 'gclid' }, []],
  ['mail', { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'spring' }, [{ value: 5 }]],
  ['partner', { referrer: 'https://deals.partner.example/a' }, []],
  ['shop', { referrer: 'https://checkout.stripe.com/pay' }, []],
  ['own', { referrer: 'https://blog.shop.example/post' }, []],
  ['direct', {}, []],
  ['server', null, [{ value: '7.5', currency: 'EUR' }]],
]

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  project = await service.createProject()
  const events = VISITS.flatMap(([session_id, page, bought], i) => {
    const common = { user_id: `u-${session_id}`, session_id, timestamp: NOW - 3_600_000 - i * 1_000 }
    return [
      ...(page === null
        ? []
        : [
            {
              ...common,
              event: 'page_view',
              properties: { path: '/start', hostname: 'www.shop.example', ...page },
            },
          ]),
      ...bought.map((properties, n) => ({
        ...common,
        ...{ event: 'purchase', timestamp: common.timestamp + 10 + n, properties },
      })),
    ]
  })
  const refunds = ['EUR', 'X'.repeat(64), 'X'.repeat(65)].map((currency, i) => ({
    ...{ event: 'refund', user_id: 'u-server', session_id: 'server', timestamp: NOW - 3_000_000 + i },
    properties: { value: 1, currency },
  }))
  built = await folder.build({ epochs: [[[recordOf(project, [...events, ...refunds])]], []], compacted: 1 })
  const { status } = await service.call(routes.updateProject, {
    id: project.id,
    body: { allowed_origins: 'https://www.shop.example' },
  })
  expect(status).toBe(200)
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

async function ask(query: Record<string, string>) {
  const { status, body } = await service.call(routes.sources, { query: { project: project.name, ...query } })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Body
}

type Body = z.output<typeof sourcesResponse> & { warnings?: string[] }

test('a row with several currencies has the sum of each', async () => {
  const { rows, total } = await ask({ goal: 'purchase', limit: '2' })
  expect(rows[0]).toMatchObject({
    ...{ value: 'organic_search', sum_value: null, currency: null },
    by_currency: [
      { currency: 'EUR', sum_value: 20 },
      { currency: 'JPY', sum_value: 1000 },
    ],
  })
  const inYen = await ask({ goal: 'purchase', currency: 'JPY' })
  expect([inYen.total.sum_value, inYen.total.by_currency]).toEqual([1000, undefined])
  expect(total.by_currency?.length).toBe(3)
})

test('a currency of more than 64 characters is no reason to add the others, and is not listed', async () => {
  const { total } = await ask({ goal: 'refund' })
  expect([total.sum_value, total.by_currency]).toEqual([
    null,
    [
      { currency: 'EUR', sum_value: 1 },
      { currency: 'X'.repeat(64), sum_value: 1 },
    ],
  ])
  const { status, body } = await service.call(routes.query, {
    body: {
      project: project.name,
      metrics: ['sum(value)'],
      where: { field: 'event', op: 'eq', value: 'refund' },
    },
  })
  expect([status, body]).toMatchObject([
    200,
    {
      rows: [{ 'sum(value)': null }],
      by_currency: [
        { currency: 'EUR', 'sum(value)': 1 },
        { currency: 'X'.repeat(64), 'sum(value)': 1 },
      ],
    },
  ])
})

const sessionsOf = ({ rows }: { rows: { value: string | null; sessions: number }[] }) =>
  Object.fromEntries(rows.map(({ value, sessions }) => [String(value), sessions]))

test('each visit has the channel of its first page', async () => {
  expect(sessionsOf(await ask({}))).toEqual({
    ...{ organic_search: 3, paid_search: 1, email: 1, referral: 1, internal: 2, direct: 1, server: 1 },
  })
  expect(sessionsOf(await ask({ by: 'source' }))).toEqual({
    ...{ google: 3, bing: 1, newsletter: 1, 'deals.partner.example': 1, null: 4 },
  })
  const { rows } = await ask({ by: 'source' })
  expect(Object.fromEntries(rows.map(({ value, channel }) => [value, channel]))).toEqual({
    // One visit came by an ad.
    ...{
      google: null,
      bing: 'organic_search',
      newsletter: 'email',
      'deals.partner.example': 'referral',
      null: null,
    },
  })
  expect(sessionsOf(await ask({ by: 'campaign' }))).toEqual({ spring: 1, null: 9 })
  expect(sessionsOf(await ask({ by: 'landing_page' }))).toEqual({ '/start': 9, null: 1 })
})

test('money of several currencies is never added', async () => {
  const { rows, total, warnings } = await ask({ goal: 'purchase', by: 'source' })
  expect(rows.find(({ value }) => value === 'google')).toMatchObject({
    ...{ sessions: 3, conversions: 2, conversion_rate: 0.667, sum_value: 20, currency: 'EUR' },
  })
  expect(rows.find(({ value }) => value === 'bing')).toMatchObject({ sum_value: 1000, currency: 'JPY' })
  expect(rows.find(({ value }) => value === 'newsletter')).toMatchObject({ sum_value: 5, currency: null })
  expect(total).toMatchObject({ conversions: 5, sum_value: null, currency: null })
  expect(total.by_currency).toEqual([
    { currency: 'EUR', sum_value: 27.5 },
    { currency: 'JPY', sum_value: 1000 },
    { currency: null, sum_value: 5 },
  ])
  expect(rows.flatMap(({ by_currency = [] }) => by_currency)).toEqual([])
  expect(warnings?.join(' ')).toContain('several currencies')
  const inEuros = await ask({ goal: 'purchase', currency: 'eur' })
  expect(inEuros.total).toMatchObject({ conversions: 5, sum_value: 27.5, currency: 'EUR' })
  expect(inEuros.warnings?.join(' ') ?? '').not.toContain('several currencies')
})

test('what the limit cuts is in other', async () => {
  const { rows, other, total } = await ask({ limit: '1', goal: 'purchase' })
  expect(rows).toHaveLength(1)
  expect(other).toEqual({ values: 6, sessions: 7, bounces: 5, conversions: 2 })
  expect(total.sessions).toBe(10)
})

test("a project's own rules come first, and conditions ask for channels", async () => {
  const channels = [{ channel: 'affiliate', field: 'referrer_host', op: 'suffix', value: 'partner.example' }]
  const context = { goals: [], activation_events: [], glossary: [], annotations: [] }
  const put = async (body: Record<string, unknown>) =>
    (await service.call(routes.putProjectContext, { body: { project: project.name, ...context, ...body } }))
      .status
  expect(await put({ channels })).toBe(200)
  const answer = await ask({})
  expect(sessionsOf(answer)).toMatchObject({ affiliate: 1 })
  expect(sessionsOf(answer)).not.toHaveProperty('referral')
  expect(sessionsOf(await ask({ filter: 'channel:in:affiliate,email', by: 'source' }))).toEqual({
    ...{ 'deals.partner.example': 1, newsletter: 1 },
  })
  expect(await put({ channels: [{ ...channels[0], channel: 'none' }] })).toBe(400)
  expect(await put({ channels: [] })).toBe(400)
  expect(await put({ channels: Array.from({ length: 21 }, () => channels[0]) })).toBe(400)
  expect(await put({})).toBe(200)
  expect(sessionsOf(await ask({}))).toMatchObject({ referral: 1 })
})
