import type { z } from 'zod'
import { ApiError } from '#core/errors'
import type { Row } from '#core/ports'
import { joinedValue } from '#core/reports/conditions/joined-value'
import { ratio } from '#core/reports/run/rounding'
import { defineReport, type ReportRequest, sinceDays, toPeriod } from '#core/reports/run/run'
import { valuesOfFilters } from '#core/reports/run/unknown-names'
import { warnOfMissingTrait } from '#core/reports/run/warn-of-lost-links'
import { ownSources } from '#core/reports/sources/own-sources'
import { quoted } from '#core/text/clean-text'
import { namesOf } from '#schemas/compare'
import type { ProjectContext } from '#schemas/contexts'
import { type funnelBody, funnelOfPeriod, type funnelResponse } from '#schemas/funnel'
import { SESSION_GROUPS } from '#schemas/query'
import { type FunnelPlan, funnelPeopleSql, funnelSql, KINDS, MAX_ENTITIES } from './sql.ts'
import { type FunnelStep, parseSteps, type StepsSource, stepsOfGoals } from './steps.ts'

export type FunnelParams = Omit<z.output<typeof funnelBody>, 'project'>
type Response = z.input<typeof funnelResponse>
type StepResult = NonNullable<Response['breakdowns']>[number]['steps'][number]

const HOUR_MS = 3_600_000

/**
 * POST /funnel (docs/api/funnel.md): how many entities pass the steps in order, within the conversion window.
 */
export const funnel = defineReport<FunnelParams, Response>({
  range: sinceDays(30, { takesTimes: true }),
  unit: ({ count_by }) => (count_by === 'user_id' ? 'person' : 'session'),
  groups: ({ breakdown }) => (breakdown === undefined ? [] : [breakdown]),
  compared: { fields: namesOf(funnelOfPeriod), without: ['people_of_step', 'people_dropped'] },
  async compute(rows, request) {
    const { project, params, read, context } = request
    const { count_by, conversion_window_hours, breakdown, breakdown_limit } = params
    const { steps, source } = stepsOf(params, context)
    const plan: FunnelPlan = {
      steps,
      countBy: count_by,
      windowMs: Math.floor(conversion_window_hours * HOUR_MS),
      breakdown:
        breakdown === undefined
          ? undefined
          : joinedValue(breakdown, {
              read,
              own: ownSources(project, context),
              ofSession: SESSION_GROUPS,
            }),
    }
    const [all, people] = await Promise.all([
      rows(funnelSql(read, plan)),
      peopleOf(request, plan, asked => rows(funnelPeopleSql(read, plan, asked))),
    ])
    const groups = all.filter(({ kind }) => Number(kind) === KINDS.funnel)
    const activity = all.find(({ kind }) => Number(kind) === KINDS.activity) ?? {}
    const results = toSteps(steps, sumRows(groups))
    const measured = results.map((step, i) => ({ ...step, ...toActivity(activity, i) }))
    const overall = overallRate(results)
    const entities = measured[0]?.joinable_entities ?? 0
    noteOpenWindows(request, plan)
    if (breakdown !== undefined && groups.every(row => row.breakdown_value === null))
      warnOfMissingTrait(breakdown, request.notes)
    const shown = breakdown === undefined ? [] : groups.slice(0, breakdown_limit)
    const isCut = breakdown !== undefined && shown.length < groups.length
    return {
      project: project.name,
      period: toPeriod(request),
      steps_source: source,
      identity_basis: count_by === 'user_id' ? 'resolved_user_id_or_user_id' : 'session_id',
      count_by,
      conversion_window_hours,
      steps: measured,
      overall_conversion_rate: overall,
      conversion_rates: { overall, by_step: results.map(({ conversion_rate }) => conversion_rate) },
      warnings: findWarnings(measured, entities),
      caveats: findCaveats(params, source),
      ...(breakdown !== undefined && { breakdowns: shown.map(row => toBreakdown(steps, row)) }),
      ...(people !== null && { people }),
      ...((isCut || entities > MAX_ENTITIES) && { truncated: true as const }),
      ...(isCut && { total_rows: groups.length }),
    }
  },
  namesOfEmpty: ({ steps: asked = [] }, { steps, steps_source }) => {
    const absent = steps.filter(({ raw_activity }) => raw_activity.event_count === 0)
    if (absent.length === 0) return null
    const filters =
      steps_source === 'request.steps' ? absent.flatMap(({ step }) => filtersOf(asked[step - 1])) : []
    return { events: absent.map(({ event }) => event), values: valuesOfFilters(filters) }
  },
})

/** Who passed the step that the request names; null if it names none. Throws MISSING_FIELDS. */
async function peopleOf(
  { params, project, replays }: ReportRequest<FunnelParams>,
  { steps }: FunnelPlan,
  read: (asked: { step: number; isLast: boolean }) => Promise<Row[]>,
): Promise<NonNullable<Response['people']> | null> {
  const { people_of_step: step, people_dropped: isLast = false } = params
  if (step === undefined) return null
  if (step > steps.length) {
    throw new ApiError(
      'MISSING_FIELDS',
      `The funnel has ${steps.length} steps. Send \`people_of_step\` from 1 to ${steps.length}.`,
    )
  }
  const found = await read({ step: step - 1, isLast })
  const people = found.map(({ id, reached_at, session }) => ({
    id: String(id),
    at: Number(reached_at),
    session_id: session === null ? null : String(session),
  }))
  const counts = await replays.countReplays(
    project.id,
    people.flatMap(({ session_id }) => session_id ?? []),
  )
  return people.map(person => ({ ...person, replay_count: counts.get(person.session_id ?? '') ?? 0 }))
}

/** The filters of a step, which the report has checked. */
function filtersOf(step: unknown) {
  const { filters } = step as {
    filters?: { property?: unknown; field?: unknown; op: unknown; value: unknown }[] | null
  }
  return (filters ?? []).map(({ property, field, op, value }) => ({ field: property ?? field, op, value }))
}

/** The steps of the request, else the activation events of the project context. */
function stepsOf(
  { steps, from_context }: FunnelParams,
  { activation_events }: ProjectContext,
): { steps: FunnelStep[]; source: StepsSource } {
  if (steps !== undefined && from_context !== true) {
    return { steps: parseSteps(steps), source: 'request.steps' }
  }
  if (activation_events.length < 2) {
    throw new ApiError(
      'INVALID_FUNNEL_STEPS',
      'The project context has fewer than 2 activation events. Send `steps`, or set `activation_events` by PUT /project-context.',
    )
  }
  return { steps: stepsOfGoals(activation_events), source: 'project_context.activation_events' }
}

/** The totals over all groups of a breakdown. */
function sumRows(rows: readonly Row[]): Row {
  const totals: Row = {}
  for (const row of rows) {
    for (const [column, value] of Object.entries(row)) {
      if (/^(users|time)_\d$/.test(column)) totals[column] = Number(totals[column] ?? 0) + Number(value ?? 0)
    }
  }
  return totals
}

/**
 * The results of the steps, from a row with users_<i>, and time_<i>: the time to the next step, of all who
 * passed it, ms.
 */
export function toSteps(steps: readonly Pick<FunnelStep, 'event'>[], row: Row): StepResult[] {
  const users = steps.map((_, i) => Number(row[`users_${i}`] ?? 0))
  return steps.map(({ event }, i) => {
    const [own = 0, next = 0] = [users[i], users[i + 1]]
    const previous = i === 0 ? own : (users[i - 1] ?? 0)
    const conversion = i === 0 ? 1 : ratio(own, previous, 3)
    return {
      step: i + 1,
      event,
      users: own,
      conversion_rate: conversion,
      // Of the rounded rate, so that the two add up to 1.
      drop_off_rate: previous === 0 ? 0 : (1_000 - Math.round(conversion * 1_000)) / 1_000,
      avg_time_to_next_ms: next === 0 ? null : ratio(Number(row[`time_${i}`] ?? 0), next, 0),
      strict_survivors: own,
      conversion_from_previous: conversion,
      conversion_rates: { from_previous: conversion, from_first: i === 0 ? 1 : ratio(own, users[0] ?? 0, 3) },
    }
  })
}

/** What happened at a step in any order. */
function toActivity(row: Row, i: number) {
  return {
    raw_activity: {
      event_count: Number(row[`events_${i}`] ?? 0),
      unique_users: Number(row[`active_${i}`] ?? 0),
    },
    joinable_entities: Number(row[`joinable_${i}`] ?? 0),
  }
}

function toBreakdown(asked: readonly FunnelStep[], row: Row): NonNullable<Response['breakdowns']>[number] {
  const steps = toSteps(asked, row)
  const value = row.breakdown_value === null ? null : String(row.breakdown_value)
  return { value, steps, overall_conversion_rate: overallRate(steps) }
}

export function overallRate(steps: readonly StepResult[]): number {
  return ratio(steps.at(-1)?.users ?? 0, steps[0]?.users ?? 0, 3)
}

function findWarnings(steps: readonly Response['steps'][number][], entities: number): string[] {
  const warnings = steps.flatMap(({ event, users, step, raw_activity, joinable_entities }) => {
    if (raw_activity.event_count === 0)
      return [`Step ${step}: the event ${quoted(event)} did not occur in the period.`]
    if (joinable_entities === 0)
      return [`Step ${step}: no event ${quoted(event)} carries the id that the funnel counts by.`]
    if (users === 0)
      return [`Step ${step}: ${quoted(event)} occurred, but nobody reached it in order within the window.`]
    return []
  })
  const capped = `More than ${MAX_ENTITIES} entities reached step 1. The funnel follows the ${MAX_ENTITIES} earliest.`
  return entities > MAX_ENTITIES ? [...warnings, capped] : warnings
}

/** Notes that whoever began late may still pass the later steps. */
function noteOpenWindows({ range, now, notes }: ReportRequest<FunnelParams>, { windowMs }: FunnelPlan): void {
  if (Math.min(range.to, now) <= now - windowMs) return
  const from = new Date(now - windowMs).toISOString()
  notes.caveats.set(
    'WINDOW_NOT_OVER',
    `Whoever began after ${from} has not had the whole window yet, so the later steps may still grow.`,
  )
}

function findCaveats({ count_by, conversion_window_hours }: FunnelParams, source: StepsSource): string[] {
  return [
    `Each entity starts with its first step-1 event of the period. Events without a ${count_by} are not counted.`,
    `Entities that started less than ${conversion_window_hours} hours ago may still convert.`,
    ...(source === 'request.steps' ? [] : ['The steps are the goals of the project context.']),
  ]
}
