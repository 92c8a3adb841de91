import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Sources } from './sources.tsx'

export default defineView({ asks, Draw: Sources })
