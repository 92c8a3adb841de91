import { type Answer, type Call, call } from '#dashboard/api'
import { sinceOf, zoneOf } from '#dashboard/range'
import type { ViewContext } from '#dashboard/view'

export type HeatmapAsks = { heatmap: Call<Answer<'GET /heatmap'>> }

export function asks({ address, project }: ViewContext): HeatmapAsks {
  return { heatmap: call('GET /heatmap', { project, since: sinceOf(address), tz: zoneOf(address) }) }
}
