import { type AccountChainServices, accountChain } from '../chain/account-chain.ts'
import type { HttpFunction } from '../http.ts'
import { httpFunction } from '../http-function.ts'
import { type AccountServices, accountEndpoints } from './account.ts'
import { contextEndpoints } from './contexts.ts'
import { erasureEndpoints } from './erasures.ts'
import { type ProjectEndpointServices, projectEndpoints } from './projects.ts'

export type ControlServices = AccountChainServices &
  AccountServices &
  ProjectEndpointServices &
  Parameters<typeof contextEndpoints>[0] &
  Parameters<typeof erasureEndpoints>[0]

/** The account, its projects, what they mean, and receipts of erasures (contract 1.4, 1.7 and 1.13). */
export function controlHandler(services: ControlServices): HttpFunction {
  const chain = accountChain(services)
  return httpFunction<'control'>(services.log, {
    ...projectEndpoints(services, chain),
    ...accountEndpoints(services, chain),
    ...contextEndpoints(services, chain),
    ...erasureEndpoints(services, chain),
  })
}
