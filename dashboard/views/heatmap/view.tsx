import { defineView } from '#dashboard/view'
import { Heatmap } from './heatmap.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Heatmap })
