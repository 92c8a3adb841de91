import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type * as z from 'zod'
import { openLake } from '#core/lake/read/snapshot'
import type { Project } from '#core/projects/project'
import type { LocalQueryEngine } from '#duckdb/reads/query-engine'
import { createFolderLake } from '#local/lake/folder'
import { BOT_CATEGORIES } from '#schemas/bot-traffic'
import type { ErrorCode } from '#schemas/errors'
import { PERIOD_LABELS } from '#schemas/fields'
import { openApiDocument } from '#schemas/openapi'
import { RETENTION_PERIODS } from '#schemas/retention'
import { isMetered, type Route } from '#schemas/route'
import { errorsOf, type RouteName, routes } from '#schemas/routes'
import { HEATMAP_PARTS, PAGE_TYPES } from '#schemas/sessions'
import { shareParts } from '#schemas/share-parts'
import { SOURCE_GROUPS } from '#schemas/sources'
import { STATS_GROUPS } from '#schemas/stats'
import { buildLake } from '#test/support/build-lake'
import { repeats, seed } from '#test/support/depth'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { recordOf } from '#test/support/record-of'
import { openTestEngine } from '#test/support/test-engine'
import * as cases from './field-cases.ts'

/** The cases of a field, whatever report has it. */
const ofField: Record<string, cases.FieldCases> = {
  project: cases.project,
  since: cases.since,
  until: cases.until,
  fields: cases.names,
  compact: cases.flag,
  days: cases.wholeNumber(0, 3650),
  tz: cases.tz,
  limit: cases.wholeNumber(1, 1000),
  sample: cases.wholeNumber(100, 10_000),
  is_bounce: cases.wholeNumber(0, 1),
  has_replay: cases.flag,
  groupBy: cases.oneOf(STATS_GROUPS),
  period: cases.oneOf(PERIOD_LABELS),
  type: cases.oneOf(PAGE_TYPES),
  category: cases.oneOf(BOT_CATEGORIES),
  event: cases.anyText,
  user_id: cases.anyText,
  session_id: cases.anyText,
  email: cases.anyText,
  before: cases.cursor,
  metrics: cases.metrics,
  group_by: cases.groupBy,
  filters: cases.filters,
  where: cases.where,
  filter: cases.filterTexts,
  date_from: cases.since,
  date_to: cases.until,
  count_mode: cases.countMode,
  order_by: cases.oneOf(['event_count', 'unique_users', 'session_count', 'date', 'event']),
  order: cases.oneOf(['asc', 'desc']),
  compare: cases.compare,
  steps: cases.funnelSteps,
  from_context: cases.fromContext,
  conversion_window_hours: cases.hours,
  count_by: cases.oneOf(['user_id', 'session_id']),
  breakdown: cases.propertyKey,
  breakdown_limit: cases.wholeNumber(1, 50),
  // The valid request has two steps.
  people_of_step: cases.wholeNumber(1, 2),
  people_dropped: cases.yesOrNo,
  goal_event: cases.goalEvent,
  max_steps: cases.wholeNumber(1, 5),
  entry_limit: cases.wholeNumber(1, 20),
  path_limit: cases.wholeNumber(1, 10),
  candidate_session_cap: cases.wholeNumber(100, 10_000),
  cohorts: cases.wholeNumber(1, 12),
  returning_event: cases.filledText,
  receipt: cases.flag,
  sql: cases.flag,
  dry_run: cases.flag,
  property: { ...cases.propertyKey, absent: 'MISSING_FIELDS' },
  by: { ...cases.propertyKey, absent: 'MISSING_FIELDS' },
  goal: cases.goalInQuery,
  from: { text: cases.goalInQuery.text, json: [] },
  min_users: cases.wholeNumber(1, 1_000_000),
}

/** The cases of fields that differ between reports. */
const ofReport: Partial<Record<RouteName, Record<string, cases.FieldCases>>> = {
  retention: {
    period: cases.oneOf(RETENTION_PERIODS),
    event: cases.filledText,
    ...{ until: cases.endOfGrid, date_to: cases.endOfGrid },
    people_of_cohort: cases.cohortDate,
    // They need `people_of_cohort` beside them (test/core/reports/retention-people.test.ts).
    people_of_offset: cases.alone([0, 7, 29]),
    people_dropped: cases.alone(['true']),
  },
  journey: { user_id: { ...cases.filledText, absent: 'MISSING_FIELDS' }, email: cases.filledEmail },
  journeyByBody: { user_id: { ...cases.filledText, absent: 'MISSING_FIELDS' }, email: cases.filledEmail },
  journeyLookup: { user_id: { ...cases.filledText, absent: 'MISSING_FIELDS' }, email: cases.filledEmail },
  eventsLookup: { user_id: { ...cases.filledText, absent: 'MISSING_FIELDS' }, email: cases.filledEmail },
  sources: {
    by: cases.oneOf(SOURCE_GROUPS),
    goal: { text: cases.goalInQuery.text, json: [] },
    currency: cases.currency,
  },
  heatmap: { fields: cases.someOf(HEATMAP_PARTS) },
  sessions: { fields: cases.someOf(['start_time', 'entry_page']) },
  allSites: { limit: cases.wholeNumber(1, 50) },
  botTraffic: { limit: cases.wholeNumber(1, 50) },
  accountBotTraffic: { limit: cases.wholeNumber(1, 50) },
  // Without a project it is the first one of the account.
  live: {
    project: { text: cases.project.text.filter(([value]) => value !== ''), json: [] },
    window: cases.wholeNumber(10, 300),
    after: cases.liveCursor,
  },
}

/** What a valid request needs beside the project. */
const required: Partial<Record<RouteName, Record<string, unknown>>> = {
  breakdown: { property: 'path' },
  conversion: { goal: 'a', by: 'path' },
  funnel: { steps: [{ event: 'a' }, { event: 'b' }] },
  paths: { goal_event: 'a' },
  journey: { user_id: 'u' },
  journeyByBody: { user_id: 'u' },
  journeyLookup: { user_id: 'u' },
  eventsLookup: { user_id: 'u' },
}

/**
 * Every case is sent to the first report that has it. To the other reports with the same field, at depth 1
 * only an eighth of the cases is sent, a different one for each report and seed. From depth 4 on they are
 * sent all cases.
 */
const SHARE_SENT = Math.min(1, repeats(1, { countPerDepth: 2 }) / 8)
const firstReports = new Map<cases.FieldCase[], RouteName>()

function casesToSend(name: RouteName, all: cases.FieldCase[]): cases.FieldCase[] {
  const first = firstReports.get(all) ?? name
  firstReports.set(all, first)
  if (first === name) return all
  const offset = seed + reportRows.findIndex(([other]) => other === name)
  return all.filter((_, i) => ((offset + i) * SHARE_SENT) % 1 < SHARE_SENT)
}

/** Every read, so that a new one needs cases too. */
const reportRows = (Object.entries(routes) as [RouteName, Route][]).filter(
  ([, route]) => route.function === 'reports' && isMetered(route),
)

let dir: string
let engine: LocalQueryEngine
let service: HttpService
let project: Project

// The lake has events, so that every accepted value runs through the statements of its report.
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'footfall-fields-'))
  const lakeDir = join(dir, 'lake')
  const lake = createFolderLake(lakeDir)
  engine = await openTestEngine({ lakeDir })
  const openReadLake = () => openLake({ state: createMemoryLakeState(), lake })
  service = await openHttpService({ gatherMs: 1_000, reading: { engine, openLake: openReadLake } })
  project = await service.createProject()
  const names = ['a', 'b', 'page_view', "'", '\\']
  const events = names.map((event, i) => ({
    event,
    properties: { path: `/${i}`, plan: i % 2 === 0 ? i : event },
    user_id: 'u',
    session_id: 's',
    timestamp: NOW - 1_000 + i,
  }))
  const record = { ...recordOf(project, events), country: 'DE' }
  await buildLake({ lake, tempDir: join(dir, 'temp'), epochs: [[[record]]] })
})

afterAll(async () => {
  await service.close()
  await engine.close()
  await rm(dir, { recursive: true, force: true })
})

/** The fields that a row accepts. */
function fieldsOf({ query, body, options }: Route): string[] {
  return [(body ?? query) as z.ZodObject, options].flatMap(schema => Object.keys(schema?.shape ?? {}))
}

/** The OpenAPI document as a client reads it. */
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(
  shareParts(openApiDocument('https://a.example')),
  'document',
)
const validators = new Map<string, ValidateFunction>()

/** What the OpenAPI document says against a response of this status; empty if it agrees. */
function findDocumentErrors({ path, method }: Route, status: number, body: unknown): unknown[] {
  const operation = ['paths', path.replaceAll('/', '~1'), method.toLowerCase()]
  const response = status < 300 ? [...operation, 'responses', status] : ['components', 'responses', 'Errors']
  const pointer = [...response, 'content', 'application~1json', 'schema'].join('/')
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` })
  validators.set(pointer, validate)
  return validate(body) ? [] : (validate.errors ?? [])
}

type Outcome = { status: number; error: unknown; text: string }

async function send(route: Route, fields: Record<string, unknown>): Promise<Outcome> {
  const isGet = route.method === 'GET'
  const query = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  const { status, body, text } = await service.call(route, isGet ? { query } : { body: fields })
  const hasOtherForm = body.dry_run === true || String(fields.compact) === 'true'
  if (status === 200 && !hasOtherForm) route.responses[200]?.schema?.parse(body)
  expect(findDocumentErrors(route, status, body)).toEqual([])
  if (status !== 200) expect(errorsOf(route)).toContain(body.error as ErrorCode)
  return { status, error: body.error ?? null, text }
}

const goodFields = (name: RouteName, route: Route): Record<string, unknown> => ({
  ...(route.project !== undefined && { project: project.name }),
  ...required[name],
})

/** Fields with which a report may run no statement, or whose response has another form. */
const ALONE = ['dry_run', 'compact', 'email', 'from_context', 'date_from', 'date_to']
/** A longer value has a request of its own, because the length of requests and statements is limited. */
const MAX_SHARED_CHARS = 2_000

/**
 * Sends each case of a field, and returns those whose response is another than the case says. Of a field that
 * is not in ALONE, short values that are accepted are not sent, but returned as `accepted`.
 */
async function checkField(
  name: RouteName,
  route: Route,
  field: string,
): Promise<{ wrong: unknown[]; accepted: unknown[] }> {
  const found = ofReport[name]?.[field] ?? ofField[field]
  if (found === undefined) return { wrong: [[field, 'has no cases in this test']], accepted: [] }
  const good = goodFields(name, route)
  const { [field]: _, ...without } = good
  const isGet = route.method === 'GET'
  const none: cases.FieldCase = [null, found.absent ?? null]
  const sent = [
    // A query string has no null.
    ...(isGet ? [] : [none, ...casesToSend(name, found.json)]),
    ...casesToSend(name, found.text),
  ]
  const isShared = ([value, code]: cases.FieldCase) =>
    code === null && !ALONE.includes(field) && JSON.stringify(value).length <= MAX_SHARED_CHARS
  const { shared = [], alone = [] } = Object.groupBy(sent, each => (isShared(each) ? 'shared' : 'alone'))
  const wrong: unknown[] = []
  const check = async (fields: Record<string, unknown>, value: string, code: string | null) => {
    const { status, error, text } = await send(route, fields)
    const isRight = code === null ? status === 200 : error === code && status < 500
    if (!isRight) wrong.push([field, value, code ?? 200, text.slice(0, 300)])
  }
  // The valid request has no other fields.
  if (field in good || found.absent !== undefined) await check(without, 'absent', found.absent ?? null)
  for (const [value, code] of alone) await check({ ...good, [field]: value }, shown(value), code)
  return { wrong, accepted: shared.map(([value]) => value) }
}

const shown = (value: unknown) => String(JSON.stringify(value)).slice(0, 80)

/**
 * Sends values of different fields in one request, and returns those that are not accepted. Values that only
 * disagree with each other, such as `since` after `until`, are accepted in requests of fewer fields.
 */
async function findRefused(name: RouteName, route: Route, values: [string, unknown][]): Promise<unknown[]> {
  const { status, text } = await send(route, { ...goodFields(name, route), ...Object.fromEntries(values) })
  if (status === 200) return []
  const [[field, value] = ['', null], ...others] = values
  if (others.length === 0) return [[field, shown(value), 200, text.slice(0, 300)]]
  const half = Math.ceil(values.length / 2)
  return [
    ...(await findRefused(name, route, values.slice(0, half))),
    ...(await findRefused(name, route, values.slice(half))),
  ]
}

test.each(reportRows)(
  '%s responds to absent, wrong and hostile values of every field as docs/api says',
  async (name, route) => {
    const wrong = await findRefused(name, route, [])
    const accepted: [field: string, values: unknown[]][] = []
    for (const field of fieldsOf(route)) {
      const checked = await checkField(name, route, field)
      wrong.push(...checked.wrong)
      accepted.push([field, checked.accepted])
    }
    // One request has one value of each field, so that the statements run less often.
    for (let i = 0; accepted.some(([, values]) => i < values.length); i++) {
      const values = accepted.flatMap(([field, all]): [string, unknown][] =>
        i < all.length ? [[field, all[i]]] : [],
      )
      wrong.push(...(await findRefused(name, route, values)))
    }
    expect(wrong).toEqual([])
    expect(service.logged.filter(({ code }) => code === 'request_failed')).toEqual([])
  },
)

test.each(reportRows.filter(([, { body }]) => body !== undefined))(
  '%s refuses a body that is not a JSON object',
  async (_, route) => {
    for (const text of ['', '{', 'null', '[]', '"a"', '7', '{"project":"a"}\u0000', '\uFEFF[]']) {
      const { status, body } = await service.call(route, { body: Buffer.from(text) })
      expect([text, status, body.error]).toEqual([text, 400, 'INVALID_BODY'])
    }
    const notUtf8 = await service.call(route, { body: Buffer.from([0x7b, 0xff, 0x7d]) })
    expect([notUtf8.status, notUtf8.body.error]).toEqual([400, 'INVALID_BODY'])
  },
)

test('an unknown field of a filter is answered with the fields that the filter could name', async () => {
  const { status, body } = await service.call(routes.query, {
    body: { project: project.name, filters: [{ field: 'plan', op: 'eq', value: 'a' }] },
  })
  expect([status, body.error, body.suggested_field]).toEqual([400, 'INVALID_FILTER_FIELD', 'properties.plan'])
  expect(body.available_properties).toMatchObject({ property_keys: ['path', 'plan'] })
})
