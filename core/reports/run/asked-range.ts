import type { ConditionParams } from '#core/reports/conditions/segments'
import type { Range } from '#core/time'
import type { RangeContext, RangeParams } from './range.ts'
import { createZone, type Zone } from './zone.ts'

/**
 * Parameters that every dated report has. `tz`: that of the request, else the time zone of the project;
 * absent: UTC. `compare`: only of reports with totals.
 */
export type DatedParams = RangeParams &
  ConditionParams & { tz?: string | undefined; compare?: string | undefined }

/** The range that the parameters ask for. */
export type RangeRule<Params> = (params: Params, context: RangeContext) => Range

/** Of the project, its IANA time zone for reads without `tz`; null or absent: UTC. */
type InZone = { timezone?: string | null | undefined }

type Asked<Params> = {
  project: InZone
  query?: Partial<Params> | undefined
  body?: Partial<Params> | undefined
}

/**
 * The parameters of a read with the time zone whose dates it means. Whatever a report says about its zone, it
 * takes from them.
 */
export function inZoneOf<Params extends Pick<DatedParams, 'tz'>>(
  { timezone }: InZone,
  params: Params,
): Params {
  return params.tz === undefined && timezone ? { ...params, tz: timezone } : params
}

/**
 * The parameters, the zone and the range of a request at `now`. Throws the error of the rule for wrong
 * parameters.
 */
export function resolveRange<Params extends DatedParams>(
  rangeOf: RangeRule<Params>,
  { project, query, body }: Asked<Params>,
  now: number,
): { params: Params; zone: Zone; range: Range } {
  // The chain has checked both against the route's schemas; together they hold all parameters.
  const params = inZoneOf(project, { ...query, ...body } as Params)
  const zone = createZone(params.tz ?? 'UTC')
  return { params, zone, range: rangeOf(params, { now, zone }) }
}

/** The start of the first day of a response, Unix ms. Throws the error of the rule for wrong parameters. */
export function firstDayOf<Params extends DatedParams>(
  rangeOf: RangeRule<Params>,
  asked: Asked<Params>,
  now: number,
): number {
  const { zone, range } = resolveRange(rangeOf, asked, now)
  return zone.startOf(zone.dateOf(range.from))
}
