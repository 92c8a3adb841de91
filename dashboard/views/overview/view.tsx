import { defineView } from '#dashboard/view'
import { Overview } from './overview.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Overview })
