import { defineView } from '#dashboard/view'
import { requests } from './requests.ts'
import { Revenue } from './revenue.tsx'

export default defineView({ requests, Draw: Revenue })
