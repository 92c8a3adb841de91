import { type ReconcileServices, reconcile } from './reconcile.ts'
import { type RestoredLake, type RestoreLakeServices, restoreLake } from './restore-lake.ts'

/** `claims`: claims that only the lake knew, and that are in the state again. */
export type ReconciledLake = RestoredLake & { claims: number }

/**
 * Makes state and lake agree when they are of different times, so that no event is lost or counted twice.
 * Nothing else may write to them meanwhile. It may be killed and repeated. One machine calls it at each
 * start, and the function `restore` on AWS.
 */
export async function reconcileLake(
  services: ReconcileServices & RestoreLakeServices,
): Promise<ReconciledLake> {
  const claims = await reconcile(services)
  return { claims, ...(await restoreLake(services)) }
}
