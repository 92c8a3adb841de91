import type { z } from 'zod'
import { type BreakdownParams, breakdown } from '#core/reports/breakdown'
import { parseFilter } from '#core/reports/conditions/parse-filter'
import { type PropertiesParams, properties } from '#core/reports/properties'
import { type ReceivedPropertiesParams, receivedProperties } from '#core/reports/received-properties'
import type { ReadNotes } from '#core/reports/run/notes'
import { type Report, type ReportRequest, sinceDays } from '#core/reports/run/run'
import type { ReadRows } from '#core/reports/run/statements'
import { type StatsParams, stats } from '#core/reports/stats'
import { sumOf } from '#core/sum'
import type { breakdownResponse, propertiesResponse, receivedPropertiesResponse } from '#schemas/properties'
import { fieldOfKey, propertyOf } from '#schemas/property-names'
import type { Stats, StatsOfPeriod } from '#schemas/stats'
import { countPeople, queryOf } from './count-people.ts'
import { FEWEST_PEOPLE, FOLDED, type Folded, foldGroups, NOTHING } from './fold-groups.ts'
import { foldLines, type Measure } from './fold-lines.ts'
import { countLeftOut } from './left-out.ts'
import { areGroupsWhole, choiceOf } from './whole-groups.ts'

type Breakdown = z.input<typeof breakdownResponse>
type Properties = z.input<typeof propertiesResponse>

const usersOf = ({ unique_users }: { unique_users: number }) => unique_users
const countOf = ({ count }: { count: number }) => count

/** GET /stats for a share link: totals and dates count everybody; names, countries and hours are groups. */
export const statsForLinks: Report<StatsParams, Stats> = {
  // Also hours begin with a date: a range of N * 24 hours until now would tell the minute of an event.
  range: sinceDays(7),
  async compute(rows, request) {
    const body = await stats.compute(rows, request)
    return { ...body, ...foldPeriod(body, request.notes) }
  },
  compared: stats.compared,
}

function foldPeriod(period: StatsOfPeriod, notes: ReadNotes): StatsOfPeriod {
  const total = period.totals.total_events
  // Above 20 names or countries the list lacks some.
  const restOf = (list: readonly { count: number }[]) => ({ rest: total - sumOf(list, countOf) })
  const events = foldGroups(period.events, usersOf, restOf(period.events))
  const countries = foldGroups(period.countries, usersOf, restOf(period.countries))
  const isByHour = period.period.groupBy === 'hour'
  const hours = isByHour
    ? foldGroups(period.timeSeries, usersOf)
    : { shown: period.timeSeries, folded: [] as typeof period.timeSeries }
  if ([events, countries, hours].every(({ folded }: Folded<unknown>) => folded.length === 0)) return period
  notes.warnings.add(FOLDED)
  return {
    ...period,
    timeSeries: hours.shown,
    events: events.shown,
    countries: countries.shown,
    other: {
      events: total - sumOf(events.shown, countOf),
      countries: total - sumOf(countries.shown, countOf),
      hours: sumOf(hours.folded, ({ total_events }) => total_events),
    },
  }
}

/** A value that no property has: an event that has the property passes `neq` with it. */
const NO_VALUE = 'footfall: no value'

/** GET /breakdown for a share link. */
export const breakdownForLinks: Report<BreakdownParams, Breakdown> = {
  range: breakdown.range,
  compared: breakdown.compared,
  async compute(rows, request) {
    const { notes, params } = request
    const body = await breakdown.compute(rows, request)
    const { values, total_events, total_with_property, truncated, total_rows, ...common } = body
    const nothing = () => {
      notes.warnings.add(NOTHING)
      return { ...common, values: [], total_with_property: 0 }
    }
    const rest = total_with_property - sumOf(values, countOf)
    const measures = await measuresOfEvent(rows, request, values)
    if (measures === null) return { ...nothing(), total_events: 0 }
    const folded = foldLines([values], [usersOf, ...measures], rest)
    const shown = values.filter(value => !folded.has(value))
    const cut = truncated === true ? { truncated, total_rows } : {}
    const all = { ...common, values: shown, total_events, total_with_property, ...cut }
    if (values.every(each => usersOf(each) < FEWEST_PEOPLE)) {
      const ofEvent = params.event === undefined ? [] : [{ field: 'event', op: 'eq', value: params.event }]
      const field = fieldOf(params.property)
      const [ofAll, withProperty] = await Promise.all([
        ofEvent.length === 0 ? FEWEST_PEOPLE : countPeople(rows, request, ofEvent),
        countPeople(rows, request, [...ofEvent, { field, op: 'neq', value: NO_VALUE }]),
      ])
      if (ofAll < FEWEST_PEOPLE) return { ...nothing(), total_events: 0 }
      if (withProperty < FEWEST_PEOPLE) return { ...nothing(), total_events }
    }
    if (folded.size === 0) return all
    notes.warnings.add(FOLDED)
    return { ...all, other: { count: total_with_property - sumOf(shown, countOf) } }
  },
}

/** The field of POST /query that `property` means (U90). */
function fieldOf(property: string): string {
  const key = propertyOf(property)
  return key === undefined ? property : fieldOfKey(key)
}

type Value = Breakdown['values'][number]

/**
 * How many people the parameter `event` leaves out of each value; null if the event, or the part of it that
 * has the property, may not be told from all events.
 */
async function measuresOfEvent(
  rows: ReadRows,
  request: ReportRequest<BreakdownParams>,
  values: readonly Value[],
): Promise<Measure<Value>[] | null> {
  const { event, property, tz } = request.params
  if (event === undefined) return []
  const field = fieldOf(property)
  const time = { ...request.zone, range: request.range }
  const ofEvent = parseFilter({ field: 'event', op: 'eq', value: event }, 'filter', time)
  const where = parseFilter({ field, op: 'neq', value: NO_VALUE }, 'filter', time)
  const choices = [choiceOf(request, 'event', [ofEvent])]
  const params = queryOf({ group_by: [field], tz })
  const named = values.map(({ value }) => ({ [field]: value }))
  const [isWhole, isPartWhole, leftOut] = await Promise.all([
    areGroupsWhole(rows, request, choices),
    areGroupsWhole(rows, request, choices, { where }),
    countLeftOut(rows, { ...request, params }, choices, named),
  ])
  if (!isWhole || !isPartWhole || leftOut === null) return null
  return leftOut.map(
    measure =>
      ({ value }) =>
        measure({ [field]: value }),
  )
}

/** GET /properties for a share link: the events of at least five people. */
export const propertiesForLinks: Report<PropertiesParams, Properties> = {
  range: properties.range,
  async compute(rows, request) {
    const body = await properties.compute(rows, request)
    const { shown, folded } = foldGroups(body.events, usersOf)
    if (folded.length > 0) request.notes.warnings.add(FOLDED)
    return { ...body, events: shown }
  },
}

/** GET /properties/received for a share link: the keys of events of at least five people. */
export const receivedPropertiesForLinks: Report<
  ReceivedPropertiesParams,
  z.input<typeof receivedPropertiesResponse>
> = {
  range: receivedProperties.range,
  async compute(rows, request) {
    const [body, { events }] = await Promise.all([
      receivedProperties.compute(rows, request),
      propertiesForLinks.compute(rows, request),
    ])
    const names = new Set(events.map(({ event }) => event))
    return { ...body, properties: body.properties.filter(({ event }) => names.has(event)) }
  },
}
