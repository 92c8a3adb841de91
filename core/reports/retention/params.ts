import type { z } from 'zod'
import type { ReportRequest } from '#core/reports/run/run'
import type { retentionQuery } from '#schemas/retention'

export type RetentionParams = Omit<z.output<typeof retentionQuery>, 'project'>

export type RetentionRequest = ReportRequest<RetentionParams>

/** Users that are analyzed at most. Of more, an even sample is (U60). */
export const MAX_USERS = 10_000
