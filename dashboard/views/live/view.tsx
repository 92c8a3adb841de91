import { defineView } from '#dashboard/view'
import { LiveView } from './live-view.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: LiveView })
