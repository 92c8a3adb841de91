import type { Caller } from '#core/access/caller'
import type { Limits } from '#core/limits/limit-state'
import type { Project } from '#core/projects/project'
import type { ReadCall } from '#core/reports/run/read'
import type { Exchange } from '#lambdas/chain/chain'

/** Who reads, for the engine: whose turn the statements of a call take, and what they count toward. */
export function readerOf(
  { limits }: { limits: Pick<Limits, 'guestOf'> },
  { caller, project, request }: Pick<Exchange, 'request'> & { caller: Caller; project?: Project | undefined },
): Pick<ReadCall, 'account' | 'guest' | 'asker'> {
  const { account } = caller
  // A read of all projects is of a demo session, which has one.
  const guest = limits.guestOf(caller, project?.id ?? account.id, request.ip)
  return { account: account.id, guest, asker: request.asker }
}
