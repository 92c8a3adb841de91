import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { SETUP_LINK_SECONDS } from '#core/access/setup-links'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'

export type AdminSocket = { close(): Promise<void> }

/**
 * The socket of the commands for whoever runs the machine. It is in the data folder, which is theirs alone.
 */
export function adminSocketPath(dataDir: string): string {
  return join(dataDir, 'admin.sock')
}

/**
 * Answers `footfall admin link`: `POST /link` over a unix socket returns a new sign-in link of the owner. No
 * browser and no other machine can reach it, and the system lets only the user of the service and root
 * connect. Rejects with the error of the system when the socket cannot be opened, for example because its
 * path is too long (107 bytes on Linux). Windows has no such socket, so there it does nothing.
 */
export async function openAdminSocket(
  dataDir: string,
  { setupLink, log }: { setupLink(): Promise<string>; log: Log },
): Promise<AdminSocket> {
  if (process.platform === 'win32') return { close: async () => {} }
  const path = adminSocketPath(dataDir)
  const server = createServer((request, response) => {
    const respond = (status: number, body: object) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
        .end(`${JSON.stringify(body)}\n`)
    if (request.method !== 'POST' || request.url !== '/link') {
      respond(404, { error: 'NOT_FOUND', message: 'There is no such path here. Use POST /link.' })
      return
    }
    void caught(log, 'admin link', async () => {
      try {
        respond(200, { link: await setupLink(), expires_in_seconds: SETUP_LINK_SECONDS })
      } catch (error) {
        respond(503, {
          error: 'UNAVAILABLE',
          message: 'No link could be stored. Try again in a few seconds.',
        })
        throw error
      }
    })()
  })
  // The lock of the folder is ours, so a process that was killed has left the file.
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
  return {
    // Node deletes the file.
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
