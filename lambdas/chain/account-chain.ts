import type { Caller } from '#core/access/caller'
import type { AuditLog } from '#core/accounts/audit'
import type { Limits } from '#core/limits/limit-state'
import type { Log } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { JsonObject } from '#core/text/json-object'
import type { Route } from '#schemas/route'
import { authenticate, type CredentialServices } from './authenticate.ts'
import { createChain, type Endpoint, type Exchange } from './chain.ts'
import { enforceLimits } from './enforce-limits.ts'
import { type MeteringServices, meterRead } from './meter-read.ts'
import { readBody } from './read-body.ts'
import { type PlanServices, readPlan } from './read-plan.ts'
import { recordAudit } from './record-audit.ts'
import { requireCredential } from './require-credential.ts'
import { requireScope } from './require-scope.ts'
import { requireShared } from './require-shared.ts'
import { requireTier } from './require-tier.ts'
import { type ProjectServices, resolveProject } from './resolve-project.ts'
import { answerRow, type FieldsOf, type RowResponse } from './row-handler.ts'
import { validateFields } from './validate-fields.ts'

export type AccountChainServices = CredentialServices &
  MeteringServices &
  PlanServices & {
    limits: Pick<Limits, 'check'>
    audit: Pick<AuditLog, 'record' | 'recordReport'>
    log: Log
  } & ProjectServices

/** What the handler of a row gets: the caller, and the project, query and body that the row declares. */
export type AccountCall<R extends Route> = Exchange & {
  caller: Caller
  json: JsonObject
  warnings: readonly string[]
} & FieldsOf<R> &
  (R extends { project: string } ? { project: Project } : unknown)

/**
 * The endpoints of rows that an account calls: `chain(routes.stats)(async call => …)`. There are two calls,
 * so that the compiler knows the row before it checks the handler.
 */
export function accountChain(services: AccountChainServices) {
  // The order of R8.
  const chain = createChain(services.log)
    .step(readBody)
    .step(authenticate(services))
    .step(recordAudit(services))
    .step(requireCredential)
    .step(requireShared)
    .step(requireScope)
    .step(readPlan(services))
    .step(requireTier)
    .step(enforceLimits(services))
    .step(resolveProject(services))
    .step(validateFields)
    .step(meterRead(services))

  return <const R extends Route>(route: R) =>
    (handler: (call: AccountCall<R>) => Promise<RowResponse<R>>): Endpoint =>
      chain.endpoint(route, answerRow(route, handler))
}
