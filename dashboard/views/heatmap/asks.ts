import { type Answer, type Call, call } from '#dashboard/api'
import { questionOf } from '#dashboard/question'
import type { ViewContext } from '#dashboard/view'

export type HeatmapAsks = { heatmap: Call<Answer<'GET /heatmap'>> }

export function asks({ address, project }: ViewContext): HeatmapAsks {
  return { heatmap: call('GET /heatmap', { project, ...questionOf(address) }) }
}
