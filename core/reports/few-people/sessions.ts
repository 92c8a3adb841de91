import type { z } from 'zod'
import { sessions } from '#core/lake/read/relations'
import { type HeatmapParams, heatmap, partsOf, pickParts } from '#core/reports/heatmap'
import { KINDS, type PagesParams, pages } from '#core/reports/pages'
import type { Report } from '#core/reports/run/run'
import { byDuration, type DistributionParams, sessionDistribution } from '#core/reports/session-distribution'
import { sql } from '#core/sql/sql'
import { sumOf } from '#core/sum'
import {
  DURATION_BUCKETS,
  type distributionResponse,
  type heatmapResponse,
  type pagesResponse,
} from '#schemas/sessions'
import { FOLDED, foldGroups } from './fold-groups.ts'

type Pages = z.input<typeof pagesResponse>
type Distribution = z.input<typeof distributionResponse>

const sessionsOf = (each: { sessions: number }) => each.sessions

/** GET /pages for a share link. A second statement counts the people of each page. */
export const pagesForLinks: Report<PagesParams, Pages> = {
  range: pages.range,
  compared: pages.compared,
  async compute(rows, request) {
    const [{ entry_pages, exit_pages, ...body }, counted] = await Promise.all([
      pages.compute(rows, request),
      rows(sql`SELECT grouping(entry_page, exit_page) AS kind, coalesce(entry_page, exit_page) AS page,
          count(DISTINCT user_key) AS users
        FROM ${sessions(request.read, ['user_key', 'entry_page', 'exit_page'])} AS session
        GROUP BY GROUPING SETS ((entry_page), (exit_page))`),
    ])
    const people = new Map(counted.map(({ kind, page, users }) => [`${kind} ${page}`, Number(users)]))
    const fold = (list: Pages['entry_pages'] = [], kind: number) =>
      foldGroups(list, ({ page }) => people.get(`${kind} ${page}`) ?? 0, {
        rest: body.truncated === true ? 1 : 0,
      })
    const [entry, exit] = [fold(entry_pages, KINDS.entry), fold(exit_pages, KINDS.exit)]
    const isFolded = entry.folded.length + exit.folded.length > 0
    if (isFolded) request.notes.warnings.add(FOLDED)
    return {
      ...body,
      ...(entry_pages !== undefined && { entry_pages: entry.shown }),
      ...(exit_pages !== undefined && { exit_pages: exit.shown }),
      ...(isFolded && {
        other: {
          entry_sessions: sumOf(entry.folded, sessionsOf),
          exit_sessions: sumOf(exit.folded, sessionsOf),
        },
      }),
    }
  },
}

/** GET /sessions/distribution for a share link. A second statement counts the people of each bucket. */
export const distributionForLinks: Report<DistributionParams, Distribution> = {
  range: sessionDistribution.range,
  compared: sessionDistribution.compared,
  async compute(rows, request) {
    const [body, counted] = await Promise.all([
      sessionDistribution.compute(rows, request),
      rows(sql`SELECT duration_group, count(DISTINCT user_key) AS users
        FROM ${byDuration(request.read, ['user_key'])} AS grouped_session GROUP BY duration_group`),
    ])
    const people = new Map(
      counted.map(({ duration_group, users }) => [DURATION_BUCKETS[Number(duration_group)], Number(users)]),
    )
    const { shown, folded } = foldGroups(body.distribution, ({ bucket }) => people.get(bucket) ?? 0)
    if (folded.length === 0) return body
    request.notes.warnings.add(FOLDED)
    return { ...body, distribution: shown, other: { sessions: sumOf(folded, sessionsOf) } }
  },
}

/** GET /heatmap for a share link: an hour of the week is a group. */
export const heatmapForLinks: Report<HeatmapParams, z.input<typeof heatmapResponse>> = {
  range: heatmap.range,
  async compute(rows, request) {
    const { params, notes } = request
    const {
      heatmap: cells = [],
      project,
      period,
    } = await heatmap.compute(rows, {
      ...request,
      params: { ...params, fields: undefined },
    })
    const { shown, folded } = foldGroups(cells, ({ users }) => users)
    if (folded.length > 0) notes.warnings.add(FOLDED)
    return {
      project,
      period,
      ...pickParts(partsOf(shown), params.fields),
      ...(folded.length > 0 && { other: { events: sumOf(folded, ({ events }) => events) } }),
    }
  },
}
