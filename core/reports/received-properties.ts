import type { z } from 'zod'
import type { receivedPropertiesQuery, receivedPropertiesResponse } from '#schemas/properties'
import { nameOfKey } from '#schemas/property-names'
import { compareCodePoints } from './run/code-points.ts'
import { defineReport, sinceDays, toPeriod } from './run/run.ts'
import { findNewestEvents, readKeysOfEvents } from './sql/property-keys.ts'

export type ReceivedPropertiesParams = Omit<z.output<typeof receivedPropertiesQuery>, 'project'>

/**
 * GET /properties/received (docs/api/properties.md): which keys came with which events, in a sample of the
 * newest events.
 */
export const receivedProperties = defineReport<
  ReceivedPropertiesParams,
  z.input<typeof receivedPropertiesResponse>
>({
  range: sinceDays(7),
  async compute(rows, request) {
    const { project, zone, range, read } = request
    const newest = await findNewestEvents(rows, read, request.params.sample)
    const { listed, total } =
      newest === null ? { listed: [], total: 0 } : await readKeysOfEvents(rows, newest)
    const isCut = total > listed.length
    return {
      project: project.name,
      period: toPeriod(request),
      sample_size: newest?.size ?? 0,
      since: zone.dateOf(range.from),
      properties: listed
        .toSorted((a, b) => compareCodePoints(a.key, b.key) || compareCodePoints(a.event, b.event))
        .map(({ key, event }) => ({ key: nameOfKey(key), event })),
      ...((isCut || newest?.hasMore === true) && { truncated: true as const }),
      ...(isCut && { total_rows: total }),
    }
  },
})
