import { defineView } from '#dashboard/view'
import { AccountView } from './account.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: AccountView })
