import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export type TrinoServer = { url: string; stop(): Promise<void> }

/** What Trino reads: Parquet files in a folder, or the Glue tables and the S3 of an emulator at an address. */
export type TrinoLake = { folder: string } | { glue: string }

const SCRIPT = resolve(import.meta.dirname, '../../scripts/start-trino.sh')

/** Fetches Trino, the first time. Rejects with the reason when that cannot be, or when there is no JDK for it. */
export async function installTrino(): Promise<void> {
  await promisify(execFile)(SCRIPT, ['install']).catch((error: { stderr?: string }) => {
    throw new Error(error.stderr?.trim() || String(error))
  })
}

/** Starts Trino by scripts/start-trino.sh, which see for what it needs. */
export async function startTrino(lake: TrinoLake, port: number): Promise<TrinoServer> {
  const [mode, where] = Object.entries(lake)[0] as [string, string]
  const child = spawn(SCRIPT, [mode, where, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const forward = () => child.kill()
  process.once('SIGINT', forward).once('SIGTERM', forward)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (.*)$/.exec(line)?.[1]
    if (url === undefined) continue
    return {
      url,
      async stop() {
        process.off('SIGINT', forward).off('SIGTERM', forward)
        child.kill()
        await ended
      },
    }
  }
  throw new Error('Trino did not start')
}
