import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Retention } from './retention.tsx'

export default defineView({ asks, Draw: Retention })
