import { defineView } from '#dashboard/view'
import { Funnel } from './funnel.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Funnel })
