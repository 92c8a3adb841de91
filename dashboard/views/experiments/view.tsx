import { defineView } from '#dashboard/view'
import { Experiments } from './experiments.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Experiments })
