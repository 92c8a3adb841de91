import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Overview } from './overview.tsx'

export default defineView({ asks, Draw: Overview })
