import { ApiError } from '#core/errors'
import type { Now } from '#core/ports'
import type { Segments } from '#core/projects/segments'
import { checkLeaves } from '#core/reports/conditions/check-leaves'
import type { accountChain } from '#lambdas/chain/account-chain'
import { SEGMENT_NAME } from '#schemas/conditions'
import { routes } from '#schemas/routes'
import { MAX_SEGMENTS } from '#schemas/segments'

export type SegmentServices = { segments: Segments; clock: Now }

/** Conditions with a name, which reads take by it (docs/api/segments.md). */
export function segmentEndpoints(
  { segments, clock }: SegmentServices,
  chain: ReturnType<typeof accountChain>,
) {
  return {
    listSegments: chain(routes.listSegments)(async ({ project }) => ({
      status: 200,
      body: { segments: await segments.list(project.id) },
    })),

    readSegment: chain(routes.readSegment)(async ({ project, request, headers }) => {
      const name = request.params.name ?? ''
      const found = SEGMENT_NAME.test(name) ? await segments.find(project.id, name) : null
      if (found === null) throw notFound()
      headers.ETag = found.etag
      return { status: 200, body: found }
    }),

    putSegment: chain(routes.putSegment)(async ({ project, body, request, headers }) => {
      const name = request.params.name ?? ''
      if (!SEGMENT_NAME.test(name))
        throw new ApiError(
          'MISSING_FIELDS',
          'The name of a segment has 1 to 64 letters, digits, `.`, `_` and `-`. Choose another name; `title` takes any text.',
        )
      const { where, title = null } = body
      checkLeaves(where)
      const wanted = { name, title, where, updated_at: clock.now() }
      const stored = await segments.put(project.id, wanted, request.headers['if-match'])
      if (stored === null)
        throw new ApiError(
          'MISSING_FIELDS',
          `The project has ${MAX_SEGMENTS} segments and cannot have more. Remove one first.`,
        )
      headers.ETag = stored.segment.etag
      return { status: stored.isNew ? 201 : 200, body: stored.segment }
    }),

    deleteSegment: chain(routes.deleteSegment)(async ({ project, request }) => {
      const name = request.params.name ?? ''
      const isRemoved =
        SEGMENT_NAME.test(name) && (await segments.remove(project.id, name, request.headers['if-match']))
      if (!isRemoved) throw notFound()
      return { status: 200, body: { ok: true } }
    }),
  }
}

function notFound(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'The project has no segment of this name. GET /projects/{id}/segments lists them.',
  )
}
