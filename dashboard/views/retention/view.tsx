import { defineView } from '#dashboard/view'
import { requests } from './requests.ts'
import { Retention } from './retention.tsx'

export default defineView({ requests, Draw: Retention })
