import type { z } from 'zod'
import { utcDate } from '#core/time'
import { newestOf } from '#core/usage/bot-store'
import type { BotDay } from '#core/usage/counters'
import {
  type accountBotTrafficQuery,
  type accountBotTrafficResponse,
  BOT_PURPOSES,
  type botTrafficQuery,
  type botTrafficResponse,
} from '#schemas/bot-traffic'
import { type BotsOfDate, toLocalDates } from './bots-of-date.ts'
import { inZoneOf } from './run/asked-range.ts'
import { compareCodePoints } from './run/code-points.ts'
import { toDelta } from './run/delta.ts'
import { type LabelledPeriods, toLabelledPeriods } from './run/range.ts'
import { ratio } from './run/rounding.ts'
import { addDays, createZone, type Zone } from './run/zone.ts'

type ProjectParams = Omit<z.output<typeof botTrafficQuery>, 'project'>
type AccountParams = z.output<typeof accountBotTrafficQuery>
type NamedProject = { id: string; name: string; timezone?: string | null }

/** Reads a project's bots from one UTC date to another, both inclusive. */
export type ReadBots = (projectId: string, from: string, to: string) => Promise<BotDay[]>

type Totals = { requests: number; dropped_events: number; last_seen_at: number | null }

/** Projects whose counts are read at the same time. */
const CONCURRENCY = 16

/** GET /bot-traffic (docs/api/bots.md). */
export async function botTraffic(
  readBots: ReadBots,
  { project, params: asked, now }: { project: NamedProject; params: ProjectParams; now: number },
): Promise<z.input<typeof botTrafficResponse>> {
  const params = inZoneOf(project, asked)
  const zone = createZone(params.tz ?? 'UTC')
  const periods = toLabelledPeriods(params.period, { now, zone })
  const counts = ofCategory(await readDates(readBots, project.id, periods, zone), params)
  const current = withinPeriod(counts, periods.current)
  const actors = groupBy(current, ({ category, actor }) => `${category} ${actor}`)
    .map(({ first: { actor, category }, purpose, ...totals }) => ({ actor, category, purpose, ...totals }))
    .toSorted(
      (a, b) =>
        b.requests - a.requests ||
        compareCodePoints(a.actor, b.actor) ||
        compareCodePoints(a.category, b.category),
    )
  return {
    scope: 'project',
    project: project.name,
    ...overviewOf(counts, periods, params),
    summary: summaryOf(counts, periods),
    actors: actors.slice(0, params.limit),
    ...(actors.length > params.limit && { truncated: true as const, total_rows: actors.length }),
  }
}

/** GET /account/bot-traffic: the same over all live projects of an account. */
export async function accountBotTraffic(
  readBots: ReadBots,
  { projects, params, now }: { projects: readonly NamedProject[]; params: AccountParams; now: number },
): Promise<z.input<typeof accountBotTrafficResponse>> {
  const zone = createZone(params.tz ?? 'UTC')
  const periods = toLabelledPeriods(params.period, { now, zone })
  const counts: BotsOfDate[] = []
  for (let i = 0; i < projects.length; i += CONCURRENCY) {
    const chunk = projects.slice(i, i + CONCURRENCY)
    const read = chunk.map(({ id }) => readDates(readBots, id, periods, zone))
    counts.push(...ofCategory((await Promise.all(read)).flat(), params))
  }
  const current = withinPeriod(counts, periods.current)
  const requests = sumOf(current).requests
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const active = groupBy(current, ({ project_id }) => project_id)
    .map(({ first: { project_id: id }, ...totals }) => ({
      id,
      name: names.get(id) ?? id,
      requests: totals.requests,
      dropped_events: totals.dropped_events,
      share_pct: ratio(totals.requests * 100, requests, 1),
      last_seen_at: totals.last_seen_at,
    }))
    .toSorted((a, b) => b.requests - a.requests || compareCodePoints(a.name, b.name))
  const remaining = Math.max(0, active.length - params.limit)
  return {
    scope: 'account',
    ...overviewOf(counts, periods, params),
    summary: {
      ...summaryOf(counts, periods),
      active_projects: active.length,
      total_projects: projects.length,
    },
    projects: active.slice(0, params.limit),
    remaining_projects: remaining,
    ...(remaining > 0 && { truncated: true as const, total_rows: active.length }),
  }
}

function ofCategory(counts: BotsOfDate[], { category }: Pick<AccountParams, 'category'>): BotsOfDate[] {
  return category === undefined ? counts : counts.filter(count => count.category === category)
}

/** Reads a project's bots of both periods, by the dates of the zone. */
async function readDates(
  readBots: ReadBots,
  projectId: string,
  { range }: LabelledPeriods,
  zone: Zone,
): Promise<BotsOfDate[]> {
  const days = await readBots(projectId, utcDate(range.from), utcDate(range.to - 1))
  return days.flatMap(day => toLocalDates(day, zone))
}

/** What both reports have beside their summary and their list. */
function overviewOf(
  counts: readonly BotsOfDate[],
  { current, previous }: LabelledPeriods,
  { period, tz }: Pick<AccountParams, 'period' | 'tz'>,
) {
  const currentCounts = withinPeriod(counts, current)
  const { requests } = sumOf(currentCounts)
  const byDay = Map.groupBy(currentCounts, ({ date }) => date)
  const dates: string[] = []
  for (let date = current.from; date <= current.to; date = addDays(date, 1)) dates.push(date)
  return {
    period: {
      label: period,
      ...current,
      previous_from: previous.from,
      previous_to: previous.to,
      ...(tz !== undefined && { tz }),
    },
    categories: groupBy(currentCounts, ({ category }) => category)
      .map(({ first: { category }, ...totals }) => ({
        category,
        requests: totals.requests,
        dropped_events: totals.dropped_events,
        share_pct: ratio(totals.requests * 100, requests, 1),
      }))
      .toSorted((a, b) => b.requests - a.requests || compareCodePoints(a.category, b.category)),
    purposes: BOT_PURPOSES.flatMap(purpose => {
      const totals = sumOf(currentCounts.filter(count => count.purpose === purpose))
      const { requests: ofPurpose, dropped_events } = totals
      const share_pct = ratio(ofPurpose * 100, requests, 1)
      return ofPurpose === 0 ? [] : [{ purpose, requests: ofPurpose, dropped_events, share_pct }]
    }),
    time_series: dates.map(date => {
      const totals = sumOf(byDay.get(date) ?? [])
      return { date, requests: totals.requests, dropped_events: totals.dropped_events }
    }),
    rules_version: newestOf(currentCounts)?.rules_version ?? null,
  }
}

function summaryOf(counts: readonly BotsOfDate[], { current, previous }: LabelledPeriods) {
  const [now, before] = [sumOf(withinPeriod(counts, current)), sumOf(withinPeriod(counts, previous))]
  return {
    automated_requests: toDelta(now.requests, before.requests, 0),
    dropped_events: toDelta(now.dropped_events, before.dropped_events, 0),
    last_seen_at: now.last_seen_at,
  }
}

function withinPeriod(
  counts: readonly BotsOfDate[],
  { from, to }: { from: string; to: string },
): BotsOfDate[] {
  return counts.filter(({ date }) => date >= from && date <= to)
}

function groupBy(counts: readonly BotsOfDate[], keyOf: (count: BotsOfDate) => string) {
  return [...Map.groupBy(counts, keyOf).values()].map(group => ({
    first: group[0] as BotsOfDate,
    purpose: group.find(({ purpose }) => purpose !== undefined)?.purpose ?? null,
    ...sumOf(group),
  }))
}

function sumOf(counts: readonly BotsOfDate[]): Totals {
  return counts.reduce<Totals>(
    (sum, { requests, dropped, last_seen_at }) => ({
      requests: sum.requests + requests,
      dropped_events: sum.dropped_events + dropped,
      last_seen_at: Math.max(sum.last_seen_at ?? 0, last_seen_at),
    }),
    { requests: 0, dropped_events: 0, last_seen_at: null },
  )
}
