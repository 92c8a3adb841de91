import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Bots } from './bots.tsx'

export default defineView({ asks, Draw: Bots })
