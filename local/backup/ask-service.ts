import * as z from 'zod'
import { askAdminSocket } from '#local/access/ask-admin-socket'
import type { Counted } from './count-days.ts'

const counted = z.object({
  days: z.record(z.string(), z.record(z.string(), z.number())),
  shards: z.record(z.string(), z.string().nullable()),
})

/** A count takes seconds, of a very large lake minutes. */
const TIMEOUT_MS = 600_000

/**
 * Asks the service of a data folder for its counts. Null where none runs, or it cannot count now. Throws
 * FolderError when this user may not ask it.
 */
export async function askService(dataDir: string): Promise<Counted | null> {
  const text = await askAdminSocket(dataDir, '/days', TIMEOUT_MS)
  return text === null ? null : counted.parse(JSON.parse(text))
}
