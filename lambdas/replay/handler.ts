import type { AddressGuards } from '#core/limits/address-guards'
import type { Profile } from '#core/plans/profile'
import type { Now } from '#core/ports'
import type { Replays } from '#core/replays/open-replays'
import type { RecorderScript } from '#core/replays/recorder-versions'
import { type AccountChainServices, accountChain } from '#lambdas/chain/account-chain'
import type { HttpFunction } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { recorderEndpoints } from './recorder.ts'
import { recorderScripts } from './recorder-script.ts'
import { replayEndpoints } from './replays.ts'
import { viewerEndpoints } from './viewer.ts'

export type ReplayFunctionServices = AccountChainServices & {
  replays: Replays
  /** Builds the recorder of this release. Called for the first request of it. */
  recorder(): Promise<RecorderScript>
  guards: Pick<AddressGuards, 'countReplay'>
  profile: Profile
  clock: Now
}

/** Session replay (docs/api/replays.md). */
export function replayHandler(services: ReplayFunctionServices): HttpFunction {
  const opened = { ...services, ...services.replays }
  const chain = accountChain(services)
  return httpFunction<'replay'>(services.log, {
    ...replayEndpoints(opened, chain),
    ...recorderEndpoints(opened),
    ...recorderScripts(opened),
    ...viewerEndpoints(opened),
  })
}
