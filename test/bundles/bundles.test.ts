import { afterAll, beforeAll } from 'vitest'
import type { Bundles } from '#lib/bundles'
import type { OwnerAccess } from '#schemas/owner'
import { builtBundles } from '../support/built-bundles.ts'
import { type BundledService, openBundledService } from '../support/bundled-service.ts'
import { exampleEvent } from '../support/lambda-events.ts'
import { httpFunctions } from './http-functions.ts'
import { live } from './live.ts'
import { pages } from './pages.ts'
import { pipeline } from './pipeline.ts'
import { settings } from './settings.ts'
import { sizes } from './sizes.ts'

/**
 * The functions as AWS runs them: each bundle runs in a Node process of its own, against emulators of the services that it
 * uses. The tests are in the files beside this one. They share these bundles and processes, because both take seconds.
 */
export type Deployed = { bundles: Bundles; service: BundledService; owner: OwnerAccess }

let deployed: Deployed
let service: BundledService | undefined
beforeAll(async () => {
  const bundles = await builtBundles()
  service = await openBundledService(bundles)
  deployed = { bundles, service, owner: await service.invoke<OwnerAccess>('owner', exampleEvent('owner')) }
})
afterAll(() => service?.close())

// First, because these processes end by themselves: then Node keeps the compiled bundles for the later starts.
settings(() => deployed)
sizes(() => deployed)
pipeline(() => deployed)
httpFunctions(() => deployed)
pages(() => deployed)
live(() => deployed)
