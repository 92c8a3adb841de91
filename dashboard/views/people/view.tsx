import { defineView } from '#dashboard/view'
import { People } from './people.tsx'
import { requests } from './requests.ts'

export default defineView({ requests, Draw: People })
