import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandError, usage } from '#cli/errors'
import type { Env } from '#cli/io'
import type { Globals } from '#cli/run-context'

/** Where a service of this machine listens when nothing else is known (docs/one-machine.md). */
const DEFAULT_URL = 'http://localhost:8787'

/**
 * The address of the service, without a slash at its end, and https unless it is this machine: the option,
 * the environment, the service of the last login, then the service of one machine, whose data folder says its
 * address.
 */
export function chooseBaseUrl(
  { baseUrl, insecure }: Pick<Globals, 'baseUrl' | 'insecure'>,
  env: Env,
  ofLastLogin: () => string | undefined,
): string {
  const named = baseUrl ?? (env.AA_BASE_URL || undefined)
  const address = checked(named ?? ofLastLogin() ?? addressInDataFolder(env) ?? DEFAULT_URL)
  if (insecure !== true && !isPrivate(address)) throw plainHttp(address)
  return address
}

/**
 * The names of this machine, as `URL` writes them: 127.1 and 0x7f000001 are 127.0.0.1 there. No other name
 * counts, such as app.localhost, because a server of names may say where it is.
 */
const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Whether the address is this machine, so that no other one reaches it. */
export function isThisMachine(address: string): boolean {
  return LOOPBACK.test(new URL(address).hostname)
}

/** Whether nobody on the way can read what is sent. */
function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || LOOPBACK.test(hostname)
}

function plainHttp(address: string): CommandError {
  return new CommandError({
    error: 'INSECURE_ADDRESS',
    message: `${address} is plain http to another machine, so everybody on the way could read your tokens.`,
    suggested_action: `Use https. In a network that you trust, add --insecure.`,
  })
}

function checked(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw usage(
      `The address of the service must look like https://example.com, without a user, a query or a fragment.`,
      'Correct --base-url or AA_BASE_URL.',
    )
  }
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
}

/** The lake of the service of this machine, if the address is its own. */
export function lakeFolderOf(env: Env, baseUrl: string): string | undefined {
  const own = addressInDataFolder(env)
  return own !== undefined && sameService(own, baseUrl) ? resolve(dataFolder(env), 'lake') : undefined
}

/** Two names of this machine are one. */
function sameService(a: string, b: string): boolean {
  const plain = (address: string) =>
    address.replace(/^(https?:\/\/)(127\.0\.0\.1|\[::1\])(?=[:/]|$)/, '$1localhost')
  return plain(a) === plain(b)
}

/** The data folder of the service of this machine, as the service itself finds it. */
export function dataFolder(env: Env): string {
  return env.DATA_DIR || '.footfall'
}

/** The file also has the API key, which the command line never uses. */
function addressInDataFolder(env: Env): string | undefined {
  try {
    const text = readFileSync(join(dataFolder(env), 'credentials.json'), 'utf8')
    const { base_url } = JSON.parse(text) as { base_url?: unknown }
    return typeof base_url === 'string' ? base_url : undefined
  } catch {
    return undefined
  }
}
