import { type AccountChainServices, accountChain } from '#lambdas/chain/account-chain'
import type { HttpFunction } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { type AccountServices, accountEndpoints } from './account.ts'
import { contextEndpoints } from './contexts.ts'
import { type DashboardServices, dashboardEndpoints } from './dashboard.ts'
import { erasureEndpoints } from './erasures.ts'
import { type ExperimentServices, experimentEndpoints } from './experiments.ts'
import { experimentsConfigEndpoint } from './experiments-config.ts'
import { type ExportEndpointServices, exportEndpoints } from './exports.ts'
import { portfolioEndpoints } from './portfolios.ts'
import { type ProjectEndpointServices, projectEndpoints } from './projects.ts'
import { type ScanEndpointServices, scanEndpoints } from './scans.ts'
import { segmentEndpoints } from './segments.ts'

export type ControlServices = AccountChainServices &
  AccountServices &
  ProjectEndpointServices &
  ScanEndpointServices &
  ExportEndpointServices &
  Parameters<typeof contextEndpoints>[0] &
  Parameters<typeof erasureEndpoints>[0] &
  ExperimentServices &
  DashboardServices &
  Parameters<typeof segmentEndpoints>[0] &
  Parameters<typeof experimentsConfigEndpoint>[0] &
  Parameters<typeof portfolioEndpoints>[0]

/**
 * The account, its projects, and what they mean (docs/api/projects.md and docs/api/account.md), receipts of
 * erasures, exports, and experiments without their results.
 */
export function controlHandler(services: ControlServices): HttpFunction {
  const chain = accountChain(services)
  return httpFunction<'control'>(services.log, {
    ...projectEndpoints(services, chain),
    ...accountEndpoints(services, chain),
    ...scanEndpoints(services),
    ...contextEndpoints(services, chain),
    ...experimentEndpoints(services, chain),
    experimentsConfig: experimentsConfigEndpoint(services),
    ...portfolioEndpoints(services, chain),
    ...dashboardEndpoints(services, chain),
    ...segmentEndpoints(services, chain),
    ...erasureEndpoints(services, chain),
    ...exportEndpoints(services, chain),
  })
}
