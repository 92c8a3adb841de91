import type { AddressGuards } from '#core/limits/address-guards'
import type { Log } from '#core/ports'
import type { Replays } from '#core/replays/open-replays'
import { publicChain } from '#lambdas/chain/public-chain'
import { jsonResponse } from '#lambdas/http/response'
import { REPLAY_LIMITS } from '#schemas/replays'
import { routes } from '#schemas/routes'

/** How long caches keep the configuration, s. */
const CACHE_SECONDS = 60

/** What the recorder in a page asks and sends (docs/api/replays.md). */
export function recorderEndpoints(
  services: Pick<Replays, 'uploads'> & { guards: Pick<AddressGuards, 'countReplay'>; log: Log },
) {
  const { uploads, guards } = services
  const chain = publicChain(services)
  return {
    replayConfig: chain(routes.replayConfig)(async ({ query: { token } }) => {
      const { recording } = await uploads.recordingOf(token)
      const headers = { 'Cache-Control': `public, max-age=${CACHE_SECONDS}` }
      return { ...jsonResponse(200, toConfig(recording), headers), status: 200 }
    }),

    startReplay: chain(routes.startReplay)(async ({ body, request: { ip, headers } }) => {
      await guards.countReplay(ip)
      const replay_id = await uploads.start({ ...body, origin: headers.origin })
      return { status: 202, body: { ok: true as const, replay_id, limits: REPLAY_LIMITS } }
    }),

    uploadChunk: chain(routes.uploadChunk)(async ({ body, request: { params, headers } }) => {
      const stored = await uploads.addChunk(params.id ?? '', { ...body, origin: headers.origin })
      return { status: 202, body: { ok: true as const, stored } }
    }),

    finishReplay: chain(routes.finishReplay)(async ({ body, request: { params, headers } }) => {
      await uploads.finish(params.id ?? '', { ...body, origin: headers.origin })
      return { status: 202, body: { ok: true as const } }
    }),
  }
}

type Recording = Awaited<ReturnType<Replays['uploads']['recordingOf']>>['recording']

function toConfig(recording: Recording) {
  if (recording === null) return { enabled: false }
  const { recording_start, mask_text, mask_selectors, block_selectors, ignore_selectors } = recording
  const rules = { recording_start, mask_text, mask_selectors, block_selectors, ignore_selectors }
  return { enabled: true, ...rules, limits: REPLAY_LIMITS }
}
