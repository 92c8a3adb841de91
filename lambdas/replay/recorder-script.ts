import QuickLRU from 'quick-lru'
import { remember } from '#core/async/lazily'
import { ApiError } from '#core/errors'
import type { Log } from '#core/ports'
import type { RecorderScript, RecorderVersions } from '#core/replays/recorder-versions'
import { versionName } from '#core/replays/script-version'
import { publicChain } from '#lambdas/chain/public-chain'
import { file, immutableFile, JAVASCRIPT } from '#lambdas/http/file'
import { routes } from '#schemas/routes'

export type RecorderScriptServices = {
  /** Builds the recorder of this release. Called for the first request of it. */
  recorder(): Promise<RecorderScript>
  recorderVersions: RecorderVersions
  log: Log
}

/** Older versions that a process holds ready. Each takes 0.3 MB, with what is compressed of it. */
const MAX_OLDER = 8

/**
 * The recorder of session replay: the current one, and each by its version. A version that was asked for once
 * is kept, so its address is good for ever. Nobody needs the others: no page names them.
 */
export function recorderScripts({ recorder, recorderVersions, log }: RecorderScriptServices) {
  const chain = publicChain({ log })
  const current = remember(async () => toFiles(await recorder()))
  const kept = remember(async () => recorderVersions.keep(await recorder()))
  const older = new QuickLRU<string, ReturnType<typeof toFiles>>({ maxSize: MAX_OLDER })

  async function findOlder(version: string) {
    const known = older.get(version)
    if (known !== undefined) return known
    const found = await recorderVersions.find(version)
    if (found === null) {
      throw new ApiError(
        'NOT_FOUND',
        'This service never had this version of the recorder. GET /replay.js names the current one in X-Replay-Path.',
      )
    }
    const files = toFiles(found)
    older.set(version, files)
    return files
  }

  return {
    recorderJs: chain(routes.recorderJs)(async exchange => (await current()).script(exchange)),
    recorderVersion: chain(routes.recorderVersion)(async exchange => {
      const { version = '' } = exchange.request.params
      const { version: now, script, immutableScript } = await current()
      if (version !== now) return (await findOlder(version)).immutableScript(exchange)
      // A version that could not be kept changes with the next release, so caches must ask again.
      return (await kept()) ? immutableScript(exchange) : script(exchange)
    }),
  }
}

function toFiles({ code, sha256 }: RecorderScript) {
  const version = versionName({ sha256 })
  const headers = { 'X-Replay-SHA256': sha256, 'X-Replay-Path': `/replay/recorder/${version}` }
  return {
    version,
    script: file(JAVASCRIPT, code, headers),
    immutableScript: immutableFile(JAVASCRIPT, code, headers),
  }
}
