import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Settings } from './settings.tsx'

export default defineView({ asks, Draw: Settings })
