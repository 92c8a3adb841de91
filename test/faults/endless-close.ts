import { Server } from 'node:http'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into a service before its own modules, by `--import`. Its HTTP front never finishes its close, as a
 * part of the service that hangs.
 */
if (isMainThread && process.argv[1]?.endsWith('local/main.ts')) {
  Server.prototype.close = function () {
    return this
  }
}
