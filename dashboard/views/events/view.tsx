import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Events } from './events.tsx'

export default defineView({ asks, Draw: Events })
