import type { Bundles } from '#lib/bundles'
import type { OwnerAccess } from '#schemas/owner'
import type { BundledService } from './bundled-service.ts'

/**
 * The functions as AWS runs them: each bundle runs in a Node process of its own, against emulators of the
 * services that it uses. The tests are in the files beside this one. They share these bundles and processes,
 * because both take seconds.
 */
export type Deployed = { bundles: Bundles; service: BundledService; owner: OwnerAccess }
