import { defineView } from '#dashboard/view'
import { Events } from './events.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Events })
