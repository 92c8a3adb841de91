import { request } from 'node:http'
import * as z from 'zod'
import { adminSocketPath } from '#local/access/admin-socket'
import { FolderError } from '#local/lock'
import type { Counted } from './count-days.ts'

const counted = z.object({
  days: z.record(z.string(), z.record(z.string(), z.number())),
  shards: z.record(z.string(), z.string().nullable()),
})

/** Nobody listens: there is no service, or an older one that was killed. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ECONNREFUSED', 'ENOTDIR']
/** A count takes seconds, of a very large lake minutes. */
const TIMEOUT_MS = 600_000

/**
 * Asks the service of a data folder for its counts. Null where none runs, or it cannot count now. Throws
 * FolderError when this user may not ask it.
 */
export async function askService(dataDir: string): Promise<Counted | null> {
  const socketPath = adminSocketPath(dataDir)
  try {
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request({ socketPath, path: '/days', method: 'POST', timeout: TIMEOUT_MS }, response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        )
      })
      asked.on('error', reject)
      asked.on('timeout', () => asked.destroy(new Error('timeout')))
      asked.end()
    })
    return status === 200 ? counted.parse(JSON.parse(text)) : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (ABSENT.includes(code)) return null
    if (code === 'EACCES' || code === 'EPERM')
      throw new FolderError(
        `Only the user of the service and root may copy ${dataDir}. Use that user.`,
        error,
      )
    return null
  }
}
