import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { LiveView } from './live-view.tsx'

export default defineView({ asks, Draw: LiveView })
