import { afterAll, beforeAll } from 'vitest'
import type { OwnerAccess } from '#schemas/owner'
import { exampleEvent } from '#test/support/lambda-events'
import { builtBundles } from './built-bundles.ts'
import { type BundledService, openBundledService } from './bundled-service.ts'
import type { Deployed } from './deployed.ts'
import { httpFunctions } from './http-functions.ts'
import { live } from './live.ts'
import { mcp } from './mcp.ts'
import { pages } from './pages.ts'
import { pipeline } from './pipeline.ts'
import { scans } from './scans.ts'
import { settings } from './settings.ts'
import { sizes } from './sizes.ts'

let deployed: Deployed
let service: BundledService | undefined
beforeAll(async () => {
  const bundles = await builtBundles()
  service = await openBundledService(bundles)
  deployed = { bundles, service, owner: await service.invoke<OwnerAccess>('owner', exampleEvent('owner')) }
})
afterAll(() => service?.close())

// First, because these processes end by themselves: then Node keeps the compiled bundles for the later
// starts.
settings(() => deployed)
sizes(() => deployed)
pipeline(() => deployed)
httpFunctions(() => deployed)
mcp(() => deployed)
pages(() => deployed)
live(() => deployed)
scans(() => deployed)
