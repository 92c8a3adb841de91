import type { z } from 'zod'
import type { receivedPropertiesQuery, receivedPropertiesResponse } from '#schemas/properties'
import { compareCodePoints } from './code-points.ts'
import { readPropertyKeys } from './property-keys.ts'
import { defineReport, sinceDays } from './run.ts'

export type ReceivedPropertiesParams = Omit<z.output<typeof receivedPropertiesQuery>, 'project'>

/** GET /properties/received (contract 1.3): which keys came with which events, in a sample of the newest events. */
export const receivedProperties = defineReport<
  ReceivedPropertiesParams,
  z.input<typeof receivedPropertiesResponse>
>({
  range: sinceDays(7),
  async compute(rows, { project, zone, range, read, params: { sample } }) {
    const keyRows = await readPropertyKeys(rows, read, sample)
    const found = Number(keyRows[0]?.found_events ?? 0)
    const pairs = keyRows.flatMap(({ property_key, event }) =>
      property_key === null ? [] : [{ key: String(property_key), event: String(event) }],
    )
    return {
      project: project.name,
      sample_size: Math.min(sample, found),
      since: zone.dateOf(range.from),
      properties: pairs.toSorted(
        (a, b) => compareCodePoints(a.key, b.key) || compareCodePoints(a.event, b.event),
      ),
      ...(found > sample && { truncated: true as const }),
    }
  },
})
