import { afterAll, beforeAll } from 'vitest'
import type { Bundles } from '#lib/bundles'
import type { Credentials } from '#schemas/owner'
import { type BundleWorld, buildBundles, captured, openBundleWorld } from '../support/bundle-world.ts'
import { httpFunctions } from './http-functions.ts'
import { pipeline } from './pipeline.ts'
import { settings } from './settings.ts'
import { sizes } from './sizes.ts'

/**
 * The functions as they are deployed: bundled once, each in a plain process of Node, over emulators of all that they
 * work with. What holds for them stands in the files beside this one.
 */
export type Deployed = { bundles: Bundles; world: BundleWorld; owner: Credentials }

let built: Awaited<ReturnType<typeof buildBundles>>
let world: BundleWorld
let owner: Credentials
beforeAll(async () => {
  built = await buildBundles()
  world = await openBundleWorld(built.bundles)
  owner = await world.invoke<Credentials>('owner', captured('owner'))
}, 120_000)
afterAll(async () => {
  await world?.close()
  await built?.close()
})

const deployed = (): Deployed => ({ bundles: built.bundles, world, owner })

sizes(deployed)
pipeline(deployed)
httpFunctions(deployed)
settings(deployed)
