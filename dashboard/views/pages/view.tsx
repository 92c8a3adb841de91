import { defineView } from '#dashboard/view'
import { Pages } from './pages.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: Pages })
