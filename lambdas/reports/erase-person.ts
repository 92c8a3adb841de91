import type { Erasures } from '#core/erasure/erasures'
import { findPerson } from '#core/erasure/find-person'
import { personIds } from '#core/erasure/person-ids'
import { ApiError } from '#core/errors'
import type { ReportServices } from '#core/reports/run'
import { routes } from '#schemas/routes'
import type { accountChain } from '../chain/account-chain.ts'

export type ErasePersonServices = ReportServices & { erasures: Pick<Erasures, 'erasePerson'> }

/** DELETE /users/{id} (contract 1.13): hides all events of a person at once, and lets the lake remove them. */
export function erasePersonEndpoint(services: ErasePersonServices, chain: ReturnType<typeof accountChain>) {
  return chain(routes.erasePerson)(async ({ project, request, signal }) => {
    const userId = request.params.id ?? ''
    const userIds = await personIds(project, userId)
    const { events, sessions } = await findPerson(services, project, userIds, signal)
    if (events === 0) {
      throw new ApiError(
        'NOT_FOUND',
        `The project has no events of the user ${JSON.stringify(userId)}. Events are known some seconds after they were sent.`,
      )
    }
    const erasure_id = await services.erasures.erasePerson(project, userIds, sessions)
    return { status: 202, body: { ok: true as const, erasure_id, status: 'pending' as const } }
  })
}
