import { request } from 'node:http'
import { FolderError } from '#local/lock'
import { adminSocketPath } from './admin-socket.ts'

/**
 * Asks the service of a data folder over its socket, for a program of the machine. Returns the text of the
 * answer; null where no service runs, or it cannot answer now. Throws FolderError when this user may not ask.
 */
export async function askAdminSocket(
  dataDir: string,
  path: string,
  timeoutMs: number,
): Promise<string | null> {
  const socketPath = adminSocketPath(dataDir)
  try {
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const asked = request({ socketPath, path, method: 'POST', timeout: timeoutMs }, response => {
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
    return status === 200 ? text : null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EACCES' || code === 'EPERM')
      throw new FolderError(
        `Only the user of the service and root may use ${dataDir}. Run the command as that user.`,
        error,
      )
    return null
  }
}
