import { type Answer, type Call, call } from '#dashboard/api'
import { questionOf } from '#dashboard/question'
import type { ViewContext } from '#dashboard/view'

export type HeatmapRequests = { heatmap: Call<Answer<'GET /heatmap'>> }

export function requests({ address, project }: ViewContext): HeatmapRequests {
  return { heatmap: call('GET /heatmap', { project, ...questionOf(address) }) }
}
