import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { NODE_FOLDER } from './ministack.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** The emulator's account. */
const ACCOUNT = '000000000000'
export const REGION = 'us-east-1'

export type Outputs = Record<string, string>

export type Cdk = {
  bootstrap(): Promise<void>
  /** Deploys the app with these options beside the machine's architecture. `output`: what the CLI printed. */
  deploy(options?: Record<string, string>): Promise<{ outputs: Outputs; output: string }>
  destroy(): Promise<void>
  stop(): void
}

/** What the CLI is told of the emulator; also of use to the SDK. */
function deployerEnv(endpoint: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: REGION,
  }
}

/** The CDK's own command on the app as cdk.json names it, against the emulator. Files go into `folder`. */
export function createCdk(endpoint: string, folder: string): Cdk {
  const running = new AbortController()
  const env = {
    PATH: `${NODE_FOLDER}:${process.env.PATH}`,
    HOME: process.env.HOME,
    ...deployerEnv(endpoint),
    // The CLI keeps accounts and credentials by key in ~/.cdk/cache; the emulator's are not to stand there.
    CDK_HOME: join(folder, 'cdk'),
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CI: 'true',
  }

  function run(args: string[]): Promise<string> {
    const child = spawn(join(NODE_FOLDER, 'cdk'), [...args, '--no-notices', '--no-color'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: running.signal,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
      })
    }
    return new Promise((done, fail) => {
      child.on('error', fail)
      child.on('close', code => {
        if (code === 0) done(output)
        else fail(new Error(`cdk ${args.join(' ')} ended with ${code}:\n${output.slice(-6_000)}`))
      })
    })
  }

  /** Arm64 is what people deploy; the emulator runs functions by this machine's processor. */
  const machine = process.arch === 'x64' ? { architecture: 'x86_64' } : {}
  const app = (options: Record<string, string> = {}) => [
    '--output',
    join(folder, 'assembly'),
    ...Object.entries({ ...machine, ...options }).flatMap(([name, value]) => [
      '--context',
      `${name}=${value}`,
    ]),
  ]

  return {
    async bootstrap() {
      await run(['bootstrap', `aws://${ACCOUNT}/${REGION}`, ...app()])
    },
    async deploy(options) {
      const file = join(folder, 'outputs.json')
      const output = await run([
        'deploy',
        ...app(options),
        '--require-approval',
        'never',
        '--outputs-file',
        file,
      ])
      const [outputs] = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Outputs>)
      if (outputs === undefined) throw new Error(`the deployment has no outputs:\n${output}`)
      return { outputs, output }
    },
    async destroy() {
      await run(['destroy', ...app(), '--force'])
    },
    stop: () => running.abort(),
  }
}
