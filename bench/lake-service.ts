import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryMb, NODE_ARGS, processorMs } from './bench-service.ts'

export type LakeService = {
  baseUrl: string
  apiKey: string
  /** The link that signs a browser in as the owner, once. */
  setupPath: string
  memoryMb(): number
  /** Processor time of all its threads so far. */
  processorMs(): number
  stop(): Promise<void>
}

/** Starts the service on a generated lake. With a long epoch the hot files stay hot. */
export async function startLakeService(dataDir: string, epochSeconds = '86400'): Promise<LakeService> {
  const main = join(import.meta.dirname, '../local/main.ts')
  const child = spawn(process.execPath, [...NODE_ARGS, main], {
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', SEED_DEMO: 'false', EPOCH_SECONDS: epochSeconds },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk
      if (/^ready [\s\S]*\/setup\/\S+\s/m.test(output)) resolve()
    })
    child.on('exit', () => reject(new Error(`The service has ended:\n${output}`)))
  })
  const { base_url, api_key } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
  const exit = new Promise<void>(resolve => child.on('exit', () => resolve()))
  return {
    baseUrl: base_url,
    apiKey: api_key,
    setupPath: /\/setup\/\S+/.exec(output)?.[0] ?? '',
    memoryMb: () => memoryMb(child.pid as number),
    processorMs: () => processorMs(child.pid as number),
    stop() {
      child.kill('SIGINT')
      return exit
    },
  }
}
