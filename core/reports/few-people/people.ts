import type { z } from 'zod'
import { type ConversionParams, conversion, withRate } from '#core/reports/conversion'
import { type FunnelParams, funnel, overallRate, toSteps } from '#core/reports/funnel/funnel'
import { parseSteps } from '#core/reports/funnel/steps'
import type { RetentionParams } from '#core/reports/retention/params'
import { retention } from '#core/reports/retention/retention'
import { addNotes, createNotes } from '#core/reports/run/notes'
import { type Report, type ReportRequest, sinceDays } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import { sql } from '#core/sql/sql'
import { sumOf } from '#core/sum'
import type { conversionResponse } from '#schemas/conversion'
import type { funnelResponse } from '#schemas/funnel'
import { bareKey, fieldOfKey } from '#schemas/property-names'
import type { retentionResponse } from '#schemas/retention'
import { areManyWithEvent } from './count-people.ts'
import { FEWEST_PEOPLE, FOLDED, foldGroups, NOTHING } from './fold-groups.ts'
import { areGroupsWhole, choiceOf } from './whole-groups.ts'

/** Reports whose groups part the people: nobody is in two of them. */

type Funnel = z.input<typeof funnelResponse>
type Conversion = z.input<typeof conversionResponse>
type Retention = z.input<typeof retentionResponse>

/** A number of people, or 0 of fewer than five. */
const shownPeople = (people: number) => (people < FEWEST_PEOPLE ? 0 : people)
const usersOf = ({ users }: { users: number }) => users

/** POST /funnel for a share link: fewer than five people at a step are 0, and so are all steps after it. */
export const funnelForLinks: Report<FunnelParams, Funnel> = {
  // A time of day would tell the minute of an event.
  range: sinceDays(30),
  compared: funnel.compared,
  async compute(rows, request) {
    const found = await funnel.compute(rows, request)
    const body = withoutSteps(found, await cutSteps(rows, request))
    const { breakdowns, truncated, total_rows, ...common } = body
    const steps = shownSteps(body.steps)
    const overall = overallRate(steps)
    const few = body.steps.filter(({ users }) => users < FEWEST_PEOPLE)
    const first = (group: { steps: readonly { users: number }[] }) => group.steps[0]?.users ?? 0
    const all = body.steps[0]?.users ?? 0
    const { shown, folded } = foldGroups(breakdowns ?? [], first, {
      rest: all - sumOf(breakdowns ?? [], first),
      areDisjoint: true,
    })
    const hasShown = shown.length > 0
    if (breakdowns !== undefined && folded.length > 0 && all >= FEWEST_PEOPLE)
      request.notes.warnings.add(FOLDED)
    return {
      ...common,
      steps: body.steps.map(({ raw_activity, joinable_entities }, i) => ({
        ...(steps[i] as (typeof steps)[number]),
        raw_activity:
          raw_activity.unique_users < FEWEST_PEOPLE ? { event_count: 0, unique_users: 0 } : raw_activity,
        joinable_entities: shownPeople(joinable_entities),
      })),
      overall_conversion_rate: overall,
      conversion_rates: { overall, by_step: steps.map(({ conversion_rate }) => conversion_rate) },
      warnings: [
        // Why nobody has passed a step would tell whether somebody has.
        ...common.warnings.filter(text => !text.startsWith('Step ')),
        ...few.map(({ step }) => `Step ${step}: fewer than five people passed it, so a share link shows 0.`),
      ],
      ...(breakdowns !== undefined && {
        breakdowns: shown.map(({ value, steps: own }) => {
          const ofGroup = shownSteps(own)
          return { value, steps: ofGroup, overall_conversion_rate: overallRate(ofGroup) }
        }),
      }),
      ...(truncated === true && (breakdowns === undefined || hasShown) && { truncated }),
      ...(total_rows !== undefined && hasShown && { total_rows }),
      ...(hasShown && folded.length > 0 && { other: { users: all - sumOf(shown, first) } }),
    }
  },
}

/** The steps whose filters cut a group that is not shown, from 0. */
async function cutSteps(rows: ReadRows, request: ReportRequest<FunnelParams>): Promise<Set<number>> {
  const { steps = [], from_context } = request.params
  if (from_context === true || steps.length === 0) return new Set()
  const areWhole = await Promise.all(
    parseSteps(steps).map(({ event, filters }) => {
      const choices = [...Map.groupBy(filters, ({ key }) => key)].map(([key, ofKey]) =>
        choiceOf(request, key === 'country' ? key : fieldOfKey(bareKey(key)), ofKey),
      )
      const where = { condition: sql`event = ${event}`, fields: ['event'] as const }
      return areGroupsWhole(rows, request, choices, { where })
    }),
  )
  return new Set(areWhole.flatMap((isWhole, i) => (isWhole ? [] : [i])))
}

/** The funnel as if nobody had passed these steps. */
function withoutSteps(body: Funnel, cut: ReadonlySet<number>): Funnel {
  if (cut.size === 0) return body
  const first = Math.min(...cut)
  return {
    ...body,
    steps: body.steps.map((step, i) => ({
      ...step,
      ...(i >= first && { users: 0 }),
      ...(cut.has(i) && { raw_activity: { event_count: 0, unique_users: 0 }, joinable_entities: 0 }),
    })),
    ...(body.breakdowns !== undefined && {
      breakdowns: body.breakdowns.map(group => ({
        ...group,
        steps: group.steps.map((step, i) => (i >= first ? { ...step, users: 0 } : step)),
      })),
    }),
  }
}

type Step = { event: string; users: number; avg_time_to_next_ms: number | null }

function shownSteps(steps: readonly Step[]) {
  const users = steps.map(step => shownPeople(step.users))
  const row = Object.fromEntries(
    steps.flatMap(({ avg_time_to_next_ms }, i) => [
      [`users_${i}`, users[i] ?? 0],
      [`time_${i}`, (avg_time_to_next_ms ?? 0) * (users[i + 1] ?? 0)],
    ]),
  )
  return toSteps(steps, row)
}

/** GET /conversion for a share link. */
export const conversionForLinks: Report<ConversionParams, Conversion> = {
  range: sinceDays(30),
  compared: conversion.compared,
  async compute(rows, request) {
    const { params, notes } = request
    const body = await conversion.compute(rows, {
      ...request,
      // They tell how many people lack a value, and how many of them have another one.
      notes: createNotes(),
      params: { ...params, min_users: Math.max(params.min_users, FEWEST_PEOPLE) },
    })
    const { values, other, missing, users, converted, rate, ...common } = body
    const { from } = params
    const areMany = from === undefined || (await areManyWithEvent(rows, request, from))
    if (users < FEWEST_PEOPLE || !areMany) {
      notes.warnings.add(NOTHING)
      return { ...common, ...withRate({ users: 0, converted: 0 }), values: [] }
    }
    const isMissingSmall = missing !== undefined && missing.users < FEWEST_PEOPLE
    const rest = (other?.users ?? 0) + (isMissingSmall ? missing.users : 0)
    const { shown, folded } = foldGroups(values, usersOf, { rest, areDisjoint: true })
    const parts = [...folded, ...(other === undefined ? [] : [other]), ...(isMissingSmall ? [missing] : [])]
    const small = { users: sumOf(parts, usersOf), converted: sumOf(parts, each => each.converted) }
    // All that is left are a few people: beside the users without a value they would be known.
    const isKnown = small.users > 0 && small.users < FEWEST_PEOPLE
    if (small.users > 0) notes.warnings.add(FOLDED)
    return {
      ...common,
      users,
      converted,
      rate,
      values: shown,
      ...(small.users > 0 && !isKnown && { other: withRate(small) }),
      ...(missing !== undefined && !isMissingSmall && !isKnown && { missing }),
    }
  },
}

/** GET /retention for a share link: a cohort is a group. */
export const retentionForLinks: Report<RetentionParams, Retention> = {
  range: retention.range,
  async compute(rows, request) {
    const notes = createNotes()
    const counted = await retention.compute(rows, { ...request, notes })
    const { event } = request.params
    const areMany = event === undefined || (await areManyWithEvent(rows, request, event))
    const isNothing = counted.users_analyzed < FEWEST_PEOPLE || !areMany
    // Its warnings name a cohort, so they would tell that it has people.
    addNotes(request.notes, notes, !isNothing)
    if (isNothing) {
      request.notes.warnings.add(NOTHING)
      return { ...counted, cohorts: [], average_rates: [], users_analyzed: 0 }
    }
    const { shown, folded } = foldGroups(counted.cohorts, usersOf, { areDisjoint: true })
    if (folded.length === 0) return counted
    request.notes.warnings.add(FOLDED)
    return { ...counted, cohorts: shown, other: { users: sumOf(folded, usersOf) } }
  },
}
