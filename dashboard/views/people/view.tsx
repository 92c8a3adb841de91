import { defineView } from '#dashboard/view'
import { asks } from './asks.ts'
import { People } from './people.tsx'

export default defineView({ asks, Draw: People })
