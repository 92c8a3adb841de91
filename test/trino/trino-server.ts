import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

export type TrinoServer = { url: string; stop(): Promise<void> }

/**
 * What Trino reads: the Parquet files of a folder, or the Glue tables and S3 objects of an emulator at this
 * address.
 */
export type TrinoLake = { folder: string } | { glue: string }

const SCRIPT = resolve(import.meta.dirname, '../../scripts/start-trino.sh')

/**
 * Downloads Trino, unless it is there already. Rejects with the reason on failure, or if there is no suitable
 * JDK.
 */
export async function installTrino(): Promise<void> {
  await promisify(execFile)(SCRIPT, ['install']).catch((error: { stderr?: string }) => {
    throw new Error(error.stderr?.trim() || String(error))
  })
}

/** Starts Trino. scripts/start-trino.sh lists what it needs. */
export async function startTrino(lake: TrinoLake, port: number): Promise<TrinoServer> {
  const [mode, location] = Object.entries(lake)[0] as [string, string]
  const child = spawn(SCRIPT, [mode, location, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const stopChild = () => child.kill()
  process.once('SIGINT', stopChild).once('SIGTERM', stopChild)
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (.*)$/.exec(line)?.[1]
    if (url === undefined) continue
    return {
      url,
      async stop() {
        process.off('SIGINT', stopChild).off('SIGTERM', stopChild)
        child.kill()
        await exit
      },
    }
  }
  throw new Error('Trino did not start')
}
