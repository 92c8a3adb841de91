import { defineView } from '#dashboard/view'
import { Analysis } from './analysis.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Analysis })
