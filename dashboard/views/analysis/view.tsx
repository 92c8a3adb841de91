import { defineView } from '#dashboard/view'
import { Analysis } from './analysis.tsx'
import { asks } from './asks.ts'

export default defineView({ asks, Draw: Analysis })
