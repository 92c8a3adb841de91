import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Funnel } from './funnel.tsx'

export default defineView({ asks, Draw: Funnel })
