import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Sessions } from './sessions.tsx'

export default defineView({ asks, Draw: Sessions })
