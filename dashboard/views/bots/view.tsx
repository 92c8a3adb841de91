import { defineView } from '#dashboard/view'
import { Bots } from './bots.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Bots })
