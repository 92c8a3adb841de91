import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Experiments } from './experiments.tsx'

export default defineView({ asks, Draw: Experiments })
