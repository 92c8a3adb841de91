import { findPerson } from '#core/erasure/find-person'
import { type IdentityView, NO_IDENTITY } from '#core/identity/identity-view'
import { encodeLinks } from '#core/identity/links/link-rows'
import { personIds } from '#core/identity/links/person-ids'
import { encodeTraits } from '#core/identity/traits/traits-rows'
import { userHash } from '#core/lake/erase/tombstones'
import { linksKey, traitsKey } from '#core/lake/model/keys'
import { events, oldestEvent } from '#core/lake/read/relations'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { Lake } from '#core/ports'
import { NO_PROJECT_CONTEXT } from '#core/projects/contexts'
import { allSites } from '#core/reports/all-sites'
import { breakdown } from '#core/reports/breakdown'
import { conversion } from '#core/reports/conversion'
import { funnel } from '#core/reports/funnel/funnel'
import { eventsLookup } from '#core/reports/lookups'
import { paths } from '#core/reports/paths/paths'
import { query } from '#core/reports/query/query'
import { type ReportProject, type ReportServices, runReport } from '#core/reports/run/run'
import { withStatements } from '#core/reports/run/statements'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { sql } from '#core/sql/sql'
import type { Condition } from '#schemas/conditions'
import { writeBatch } from '#test/support/add-erasure'
import { funnelDefaults, pathDefaults, queryDefaults, runAllReports } from './run-reports.ts'
import type { SampleLake } from './sample-lakes.ts'

const LINKS_BUCKET = 7
const SCOPE = 'pf_1_trino'
const [LINKED, FINAL, ERASED] = ['user 3', "o'brien", 'user 5']

/**
 * Runs the reports of a project whose users are linked and of whom one is erased, and the reads that need
 * several projects. Add what needs links or erasures here: `npm run test:trino` fails if a piece of SQL has
 * never been used.
 */
export async function runIdentityReports(
  services: ReportServices,
  lake: Pick<Lake, 'put'>,
  projects: readonly [ReportProject, ReportProject],
  sample: SampleLake,
): Promise<void> {
  const identity = await writeLinks(lake, projects)
  const [project] = projects
  const erased = {
    ...services,
    openLake: async () => withTombstone(lake, await services.openLake(), project),
  }
  await runAllReports({ ...erased, identity }, project, sample)
  await runWithTraits({ ...erased, identity }, lake, project)
  await findPerson(erased, project, [FINAL, LINKED], undefined)
  await runWithLaterEvents(services, lake, project)
  const [links] = identity.links?.files ?? []
  const ofOneFile = {
    ...identity,
    links: { scope: SCOPE, bucket: LINKS_BUCKET, files: links === undefined ? [] : [links], hops: 0 },
  }
  await runReport(stats, services, { project, query: { since: '60d', groupBy: 'day' }, identity: ofOneFile })
  await personIds(query => services.engine.rows(query), identity.links, FINAL)
  const context = { ...NO_PROJECT_CONTEXT, activation_events: ['page_view', 'event 3'] }
  await runReport(funnel, services, { project, body: { ...funnelDefaults, from_context: true }, context })
  for (const each of projects) {
    const person = { email: 'ann@example.com', limit: 20, since: '60d' }
    await runReport(eventsLookup, services, { project: each, body: person, identity })
    await runReport(query, services, { project: each, body: { ...QUERY, email: person.email }, identity })
    await findPerson(services, each, [FINAL, LINKED], undefined)
    await runReport(breakdown, services, {
      project: each,
      query: { property: 'plan', since: '400d', limit: 200 },
    })
    await runReport(query, services, {
      project: each,
      body: { ...QUERY, count_mode: 'raw', filters: [COUNTRY] },
    })
    await runReport(query, services, { project: each, body: { ...QUERY, filters: [COUNTRY] } })
    const mixed = ['sum(properties.session_count)', 'session_count', 'bounce_rate']
    for (const group_by of [[], ['event']]) {
      await runReport(query, services, { project: each, body: { ...QUERY, metrics: mixed, group_by } })
    }
    await readCopies(services, each)
  }
  await allSites(services, { projects, params: { period: '30d', limit: 10 }, signal: undefined })
}

/**
 * The segments have later events of the erased user, so their events are read: beside rollups if they are
 * small, else in the place of all.
 */
async function runWithLaterEvents(
  services: ReportServices,
  lake: Pick<Lake, 'put'>,
  project: ReportProject,
): Promise<void> {
  const openLater = async () => withTombstone(lake, await services.openLake(), project, 1)
  const openLarge = async () => withLargeSegments(await openLater())
  for (const openLake of [openLater, openLarge]) {
    const later = { ...services, openLake }
    for (const goal_event of ['page_view', 'signup']) {
      await runReport(paths, later, { project, body: { ...pathDefaults, goal_event } })
    }
    await runReport(stats, later, { project, query: { since: '60d', groupBy: 'day' } })
    const page = { since: '60d', limit: 3 }
    const { next_before } = await runReport(sessions, later, { project, query: page })
    if (next_before !== null) {
      await runReport(sessions, later, { project, query: { ...page, before: next_before } })
    }
    for (const group_by of [[], ['event']]) {
      await runReport(query, later, { project, body: { ...QUERY, group_by } })
    }
  }
}

/** The lake as if each of its segments had a million events. */
function withLargeSegments(lake: LakeSnapshot): LakeSnapshot {
  return {
    ...lake,
    async ofBucket(bucket) {
      const snapshot = await lake.ofBucket(bucket)
      return { ...snapshot, segments: snapshot.segments.map(segment => ({ ...segment, rows: 1_000_000 })) }
    },
  }
}

const COUNTRY = { field: 'country', op: 'neq', value: 'XX' }
const QUERY = { ...queryDefaults, metrics: ['event_count', 'session_count', 'unique_users'] }

/** Reports with conditions about traits, of linked and of erased users. */
async function runWithTraits(
  services: ReportServices & { identity: IdentityView },
  lake: Pick<Lake, 'put'>,
  project: ReportProject,
): Promise<void> {
  const key = traitsKey(project, { writer: '0c', part: 0 })
  const rows = [LINKED, FINAL, ERASED, 'user 1'].flatMap((user_id, i) =>
    [true, false].map(hasCredential => ({
      ...{ user_id, hasCredential, at: i, seq: i },
      traits: JSON.stringify({
        plan: hasCredential ? 'pro' : 'free',
        'a.b': i,
        none: hasCredential ? null : 'x',
      }),
    })),
  )
  await lake.put(key, encodeTraits(project.id, rows))
  const openTraits = async () => ({ files: [key] })
  const or: Condition[] = [
    { field: 'traits.plan', op: 'neq', value: 'free' },
    { field: 'traits["a.b"]', op: 'gte', value: 1 },
    { not: { field: 'traits.none', op: 'exists', value: false } },
  ]
  for (const identity of [services.identity, NO_IDENTITY])
    for (const where of [...or, { or }, { person: { and: or } }]) {
      const common = { project, identity: { ...identity, openTraits } }
      const asked = { since: '60d', where }
      await runReport(stats, services, { ...common, query: { ...asked, groupBy: 'day' } })
      await runReport(sessions, services, { ...common, query: { ...asked, limit: 3 } })
      await runReport(query, services, { ...common, body: { ...QUERY, where, group_by: ['event'] } })
      const group_by = ['traits.plan', 'traits["a.b"]', 'channel']
      await runReport(query, services, { ...common, body: { ...QUERY, where, group_by } })
      await runReport(funnel, services, {
        ...common,
        body: { ...funnelDefaults, where, breakdown: 'traits.plan' },
      })
      const by = { goal: 'event 3', by: 'traits["a.b"]', min_users: 1, limit: 10 }
      await runReport(conversion, services, { ...common, query: { ...asked, ...by } })
    }
}

/** Writes a file that links a user to another one, and a newer one that links this one further. */
async function writeLinks(
  lake: Pick<Lake, 'put'>,
  projects: readonly ReportProject[],
): Promise<IdentityView> {
  const files: string[] = []
  const steps = [
    [LINKED, 'user 4'],
    ['user 4', FINAL],
  ] as const
  for (const [i, [previous_id, linked_id]] of steps.entries()) {
    const key = linksKey(LINKS_BUCKET, { number: i + 1, writer: '0c' })
    const link = { scope: SCOPE, previous_id, user_id: linked_id, linked_id, at: i, seq: i }
    await lake.put(key, encodeLinks([link]))
    files.push(key)
  }
  return {
    ...NO_IDENTITY,
    links: { scope: SCOPE, bucket: LINKS_BUCKET, files, hops: 1 },
    joinedProjects: projects as unknown as IdentityView['joinedProjects'],
    findByEmail: async () => [FINAL],
  }
}

/** Returns the same lake after a request to erase a user. All files still have the user's events. */
async function withTombstone(
  files: Pick<Lake, 'put'>,
  lake: LakeSnapshot,
  { id, bucket }: ReportProject,
  until = 4_000_000_000_000,
): Promise<LakeSnapshot> {
  const erased = { project_id: id, users: [userHash(ERASED)], until }
  const tombstones = [await writeBatch(files, { ...erased, bucket, number: 1_000_000 + (until % 2) })]
  return {
    ...lake,
    ofBucket: async each => ({ ...(await lake.ofBucket(each)), tombstones }),
  }
}

/**
 * What a report reads when it cannot name the copied keys, because they are too many, and when it names the
 * events that later ones replace.
 */
async function readCopies(
  { engine, openLake, clock }: ReportServices,
  project: ReportProject,
): Promise<void> {
  const lake = await openLake()
  const snapshot = await lake.ofBucket(project.bucket)
  const read = { snapshot, project, from: oldestEvent(project), to: clock.now() }
  await withStatements(engine, { lake, signal: undefined }, async rows => {
    for (const copies of [{}, { copiedKeys: [], replaced: ["o'brien 1", 'e1 2'] }]) {
      await rows(
        sql`SELECT count(*) AS events FROM ${events({ ...read, ...copies }, ['event'])} AS each_event`,
      )
    }
  })
}
