import { defineView } from '#dashboard/view'
import { requests } from './requests.ts'
import { Sessions } from './sessions.tsx'

export default defineView({ requests, Draw: Sessions })
