import { defineView } from '#dashboard/view'
import { AccountView } from './account.tsx'
import { asks } from './asks.ts'

export default defineView({ asks, Draw: AccountView })
