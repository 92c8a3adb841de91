import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Paths } from './paths.tsx'

export default defineView({ asks, Draw: Paths })
