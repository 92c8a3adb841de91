import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Heatmap } from './heatmap.tsx'

export default defineView({ asks, Draw: Heatmap })
