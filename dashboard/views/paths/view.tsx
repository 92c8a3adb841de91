import { defineView } from '#dashboard/view'
import { Paths } from './paths.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Paths })
