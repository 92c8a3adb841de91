import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Revenue } from './revenue.tsx'

export default defineView({ asks, Draw: Revenue })
