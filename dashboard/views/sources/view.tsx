import { defineView } from '#dashboard/view'
import { requests } from './requests.ts'
import { Sources } from './sources.tsx'

export default defineView({ requests, Draw: Sources })
