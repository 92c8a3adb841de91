import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { Pages } from './pages.tsx'

export default defineView({ asks, Draw: Pages })
