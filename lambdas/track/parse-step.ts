import { ApiError } from '#core/errors'
import type { RefusalCounts } from '#core/ingest/refusal-counts'
import { shownToken, type TrackRequest } from '#core/ingest/track-request'
import type { ProjectDirectory } from '#core/projects/project'
import type { JsonObject } from '#core/text/json-object'
import type { ErrorCode } from '#schemas/errors'
import type { RefusalReason } from '#schemas/refusals'

export type ParseStepServices = {
  projects: Pick<ProjectDirectory, 'byToken'>
  refusals: Pick<RefusalCounts, 'count'>
}

/** Errors of a body whose sender keeps on sending such bodies, by the reason that is counted. */
const COUNTED: Partial<Record<ErrorCode, RefusalReason>> = { BATCH_TOO_LARGE: 'size', MIXED_TOKENS: 'token' }

/**
 * Adds what a body sends. A batch that is refused as a whole counts for the project of the first token that
 * it shows. It is looked up only then, and as other tokens are.
 */
export function parseStep(
  parse: (json: JsonObject) => TrackRequest,
  { projects, refusals }: ParseStepServices,
) {
  async function refuse(error: ApiError, reason: RefusalReason, json: JsonObject): Promise<never> {
    const token = shownToken(json)
    const project = token === null ? null : await projects.byToken(token)
    const events = Array.isArray(json.events) ? json.events.length : 1
    if (project !== null) await refusals.count(project.id, { reason, events, last: error.message })
    throw error
  }

  return function parseRequest({ json }: { json: JsonObject }) {
    try {
      return { trackRequest: parse(json) }
    } catch (error) {
      const reason = error instanceof ApiError ? COUNTED[error.code] : undefined
      if (reason === undefined) throw error
      return refuse(error as ApiError, reason, json)
    }
  }
}
