import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandError } from './errors.ts'
import type { Env, Io, ProgramOutput } from './io.ts'
import { VERSION } from './version.ts'

type World = Pick<Io, 'service' | 'node' | 'platform' | 'handOver'>

/** The oldest Node that runs the service, where its package has none for the machine. */
const OLDEST_NODE = 24

/**
 * Runs a program of the service, on the Node of the service: it opens data or settings, whose code is not in
 * the command line. `file` is below the folder of the service, `name` the command for the message. `output`:
 * in the place of stdout and stderr. Resolves with the exit code of the program.
 */
export async function runServiceProgram(
  file: string,
  name: string,
  io: World,
  args: readonly string[],
  output?: ProgramOutput,
): Promise<number> {
  const { path, node } = programOf(file, name, io)
  return io.handOver(node, ['--disable-warning=ExperimentalWarning', path, ...args], output)
}

/**
 * Runs the service itself, as `npm start` does, until a signal ends it. `settings`: beside the environment.
 */
export async function runService(io: World, settings: Env): Promise<number> {
  const { path, node, service } = programOf('local/main.ts', 'serve', io)
  const modules = pathToFileURL(join(service, 'local/modules.mjs')).href
  const flags = ['--max-semi-space-size=16', '--heap-growing-percent=200', '--import', modules]
  // With this variable the service ends when its parent has ended, as it does below npm.
  const env = { npm_lifecycle_event: 'serve', ...settings }
  return io.handOver(node, ['--disable-warning=ExperimentalWarning', ...flags, path], undefined, env)
}

type Program = {
  /** Whole paths of the file, of its Node and of the folder of the service. */
  path: string
  node: string
  service: string
}

/** Throws CommandError when the service is not there, is of another version, or has no Node. */
function programOf(file: string, name: string, { service, node, platform }: World): Program {
  if (service === null)
    throw new CommandError({
      error: 'NO_SERVICE',
      message: 'The service is not installed beside this command line, and this command needs its code.',
      suggested_action: `Install the package footfall-service ${VERSION} in the same folder. In a clone: npm run build:cli, then node build/cli/footfall.mjs ${name}`,
    })
  const { version } = JSON.parse(readFileSync(join(service, 'package.json'), 'utf8')) as { version: string }
  if (version !== VERSION)
    throw new CommandError({
      error: 'OTHER_VERSION',
      message: `The service in ${service} is version ${version}, and this command line is ${VERSION}.`,
      suggested_action: 'Install both packages in the same version.',
    })
  // The package has JavaScript.
  const source = join(service, file)
  const path = existsSync(source) ? source : source.replace(/\.ts$/, '.js')
  return { path, node: nodeOf(service, node, platform), service }
}

/** The Node of a clone, that which npm has installed for the package, or the one of this process. */
function nodeOf(service: string, { program, version, arch }: Io['node'], platform: Io['platform']): string {
  const packed = `node-${platform}-${arch}/bin/node`
  const places = ['node_modules/.bin/node', `node_modules/${packed}`, `../${packed}`]
  const own = places.map(place => join(service, place)).find(existsSync)
  if (own !== undefined) return own
  if (Number.parseInt(version, 10) < OLDEST_NODE)
    throw new CommandError({
      error: 'NODE_TOO_OLD',
      message: `The service needs Node ${OLDEST_NODE} or newer, and this is ${version}.`,
      suggested_action: `Install Node ${OLDEST_NODE}. On Linux the package brings its own, unless npm leaves out optional packages.`,
    })
  return program
}
