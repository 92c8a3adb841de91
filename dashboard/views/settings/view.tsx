import { defineView } from '#dashboard/view'
import { requests } from './requests.ts'
import { Settings } from './settings.tsx'

export default defineView({ requests, Draw: Settings })
