import { ApiError } from '#core/errors'
import type { Log, Now } from '#core/ports'
import { unpackChunk } from '#core/replays/chunk'
import type { Replays } from '#core/replays/open-replays'
import { objectsPrefix, type Replay, toRecord } from '#core/replays/replay'
import { viewerGone } from '#core/replays/viewer-gone'
import { publicChain } from '#lambdas/chain/public-chain'
import { jsonResponse } from '#lambdas/http/response'
import { routes } from '#schemas/routes'
import { publicChunks } from './public-chunks.ts'

/**
 * What the viewer reads. Its secret stands in the body and in the fragment of its address, and browsers send
 * no fragment: so no access log has it.
 */
export function viewerEndpoints(services: Pick<Replays, 'links' | 'objects'> & { clock: Now; log: Log }) {
  const { links, objects, clock } = services
  const chain = publicChain(services)

  async function find(secret: string): Promise<{ replay: Replay; expiresAt: number }> {
    const found = await links.find(secret)
    if (found === null) throw viewerGone()
    return found
  }

  return {
    viewReplay: chain(routes.viewReplay)(async ({ body: { secret } }) => {
      const { replay, expiresAt } = await find(secret)
      const shown = { ...toRecord(replay, clock.now()), chunks: publicChunks(replay) }
      return { status: 200, body: { replay: shown, expires_at: expiresAt } }
    }),

    viewChunk: chain(routes.viewChunk)(async ({ body: { secret, index } }) => {
      const { replay } = await find(secret)
      const chunk = replay.chunks.find(each => each.index === index)
      const stored = chunk && (await objects.get(objectsPrefix(replay.id) + chunk.object))
      const events = stored ? await unpackChunk(stored) : null
      if (events === null) {
        throw new ApiError(
          'NOT_FOUND',
          'The replay has no such chunk: it never came, or it is damaged. Ask for the next one.',
        )
      }
      return { ...jsonResponse(200, null), status: 200, body: events }
    }),
  }
}
