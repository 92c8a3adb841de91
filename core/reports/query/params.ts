import type { z } from 'zod'
import type { ReportRequest } from '#core/reports/run/run'
import type { queryBody } from '#schemas/query'

export type QueryParams = Omit<z.output<typeof queryBody>, 'project'>

export type QueryRequest = ReportRequest<QueryParams>
