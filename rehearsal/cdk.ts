import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { NODE_FOLDER } from './ministack.ts'

/** This checkout. */
export const ROOT = resolve(import.meta.dirname, '..')
/** The account id of the emulator. */
const ACCOUNT = '000000000000'
export const REGION = 'us-east-1'

/** Options with which no check waits a quarter of an hour for an epoch. */
export const SHORT_EPOCHS = { epochMinutes: '1' }

/** The stack is destroyed at the end. */
const UNPROTECTED: Record<string, string> = { terminationProtection: 'false' }

type CdkPlace = { region?: string; app?: string; always?: Record<string, string> }

export type Outputs = Record<string, string>

export type Cdk = {
  bootstrap(): Promise<void>
  /** Deploys the app with these options and this machine's architecture. `output` is what the CLI printed. */
  deploy(options?: Record<string, string>): Promise<{ outputs: Outputs; output: string }>
  destroy(): Promise<void>
  /** Takes the resources of a file of `npm run adopt` into a new stack. */
  import(mappingFile: string): Promise<string>
  stop(): void
}

/** Environment variables that point the CLI and the SDK to the emulator. */
export function deployerEnv(endpoint: string, region: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: region,
  }
}

/**
 * Runs the CDK's own command line on the app of cdk.json in `app`, against the emulator. It writes files to
 * `folder`. Each call gets the options `always`.
 */
export function createCdk(
  endpoint: string,
  folder: string,
  { region = REGION, app = ROOT, always = UNPROTECTED }: CdkPlace = {},
): Cdk {
  const abortController = new AbortController()
  const env = {
    PATH: `${NODE_FOLDER}:${process.env.PATH}`,
    HOME: process.env.HOME,
    ...deployerEnv(endpoint, region),
    // The CLI caches accounts and credentials in ~/.cdk/cache. Those of the emulator must not get there.
    CDK_HOME: join(folder, 'cdk'),
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CI: 'true',
  }

  function run(args: string[]): Promise<string> {
    const child = spawn(join(NODE_FOLDER, 'cdk'), [...args, '--no-notices', '--no-color'], {
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      signal: abortController.signal,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', text => {
        output += text
      })
    }
    return new Promise((resolveOutput, rejectOutput) => {
      child.on('error', rejectOutput)
      child.on('close', code => {
        if (code === 0) resolveOutput(output)
        else
          rejectOutput(
            new Error(`cdk ${args.join(' ')} ended with exit code ${code}:\n${output.slice(-6_000)}`),
          )
      })
    })
  }

  /** The default is arm64, but the emulator runs functions on the processor of this machine. */
  const machineOptions = process.arch === 'x64' ? { architecture: 'x86_64' } : {}
  const contextArguments = (options: Record<string, string> = {}) => [
    '--output',
    join(folder, 'assembly'),
    ...Object.entries({ ...always, ...machineOptions, ...options }).flatMap(([name, value]) => [
      '--context',
      `${name}=${value}`,
    ]),
  ]

  return {
    async bootstrap() {
      await run(['bootstrap', `aws://${ACCOUNT}/${region}`, ...contextArguments()])
    },
    async deploy(options) {
      const file = join(folder, 'outputs.json')
      const output = await run([
        'deploy',
        ...contextArguments(options),
        '--require-approval',
        'never',
        '--outputs-file',
        file,
      ])
      const [outputs] = Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Outputs>)
      if (outputs === undefined) throw new Error(`The deployment has no outputs:\n${output}`)
      return { outputs, output }
    },
    async destroy() {
      await run(['destroy', ...contextArguments(), '--force'])
    },
    import: mappingFile => run(['import', ...contextArguments(), '--resource-mapping', mappingFile]),
    stop: () => abortController.abort(),
  }
}
