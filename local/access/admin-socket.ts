import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import * as z from 'zod'
import { SETUP_LINK_SECONDS } from '#core/access/setup-links'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'

const EMAIL = z.email().max(254)

export type AdminSocket = { close(): Promise<void> }

/**
 * The socket of the commands for whoever runs the machine. It is in the data folder, which is theirs alone.
 */
export function adminSocketPath(dataDir: string): string {
  return join(dataDir, 'admin.sock')
}

type Answer = {
  make(): Promise<object>
  /** For the caller, when `make` rejects. */
  failure: string
}

export type AdminServices = {
  /** Of the owner, or of the account of an address. */
  setupLink(email?: string): Promise<string>
  /** What the service counts, for a backup. */
  countDays(): Promise<object>
  /** How the service is, for `footfall doctor`. */
  readState(): Promise<object>
  /** A new secret path of the service, for `footfall doctor`. */
  openProbe(): Promise<object>
  log: Log
}

/**
 * Answers the commands of whoever runs the machine, over a unix socket: `POST /link` returns a new sign-in
 * link of the owner (`footfall admin link`), with `?email=` of the account of that address, `POST /days` how
 * many events each project has of each day (`footfall backup`), `POST /state` how the service is and `POST
 * /probe` a path of it (`footfall doctor`). No browser and no other machine can reach it, and the system lets
 * only the user of the service and root connect. Rejects with the error of the system when the socket cannot
 * be opened, for example because its path is too long (107 bytes on Linux). Windows has no such socket, so
 * there it does nothing.
 */
export async function openAdminSocket(
  dataDir: string,
  { setupLink, countDays, readState, openProbe, log }: AdminServices,
): Promise<AdminSocket> {
  if (process.platform === 'win32') return { close: async () => {} }
  const path = adminSocketPath(dataDir)
  const failure = 'No link could be stored. Try again in a few seconds.'
  const answers: ReadonlyMap<string, Answer> = new Map([
    ['/link', { make: async () => linkAnswer(await setupLink()), failure }],
    ['/days', { make: countDays, failure: 'The events cannot be counted now. Try again in a few seconds.' }],
    ['/state', { make: readState, failure: 'The state cannot be read now. Try again in a few seconds.' }],
    ['/probe', { make: openProbe, failure: 'No probe could be opened. Try again in a few seconds.' }],
  ])
  const server = createServer((request, response) => {
    const respond = (status: number, body: object) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
        .end(`${JSON.stringify(body)}\n`)
    const url = request.method === 'POST' ? (request.url ?? '') : ''
    const email = emailOf(url)
    const answer =
      email === null ? answers.get(url) : { make: async () => linkAnswer(await setupLink(email)), failure }
    if (answer === undefined) {
      respond(404, {
        error: 'NOT_FOUND',
        message: `There is no such path here. Use POST with one of ${[...answers.keys()].join(', ')}.`,
      })
      return
    }
    void caught(log, `admin ${request.url}`, async () => {
      try {
        respond(200, await answer.make())
      } catch (error) {
        respond(503, { error: 'UNAVAILABLE', message: answer.failure })
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

function linkAnswer(link: string): object {
  return { link, expires_in_seconds: SETUP_LINK_SECONDS }
}

/** The address of `/link?email=…`; null for every other path, and for a text that is no address. */
function emailOf(url: string): string | null {
  const [path, query = ''] = url.split('?')
  const parameters = new URLSearchParams(query)
  const email = EMAIL.safeParse(parameters.get('email'))
  return path === '/link' && parameters.size === 1 && email.success ? email.data : null
}
