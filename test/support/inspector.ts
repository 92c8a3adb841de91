import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { onceARun } from '#test/setup/once-a-run'

const SOURCE = join(import.meta.dirname, 'inspector')
const SCRIPT = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js'
/** Without a way to the registry npm tries this often, and ends. */
const RETRIES = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000']
const NOT_IN_REACH =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E403|E404|E5\d\d)\b/

/**
 * Returns the path of the Inspector's command, or null without a way to the registry. It is 110 MB with its
 * packages, and one test uses it, so it is no dependency of ours: the first run of a user installs what the
 * lock file pins, and later runs find it. No script of its packages runs.
 */
export async function installInspector(): Promise<string | null> {
  const lock = await readFile(join(SOURCE, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const home = join(inject('cacheFolder'), `footfall-inspector-${version}-${userInfo().uid}`)
  if (!existsSync(home)) {
    try {
      await onceARun('inspector', () => installTo(home))
    } catch (error) {
      if (NOT_IN_REACH.test(String((error as { stderr?: string }).stderr ?? error))) return null
      throw error
    }
  }
  return join(home, SCRIPT)
}

async function installTo(home: string): Promise<void> {
  const staging = await mkdtemp(`${home}.`)
  try {
    await cp(SOURCE, staging, { recursive: true })
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', ...RETRIES]
    await promisify(execFile)('npm', args, { cwd: staging, shell: process.platform === 'win32' })
    await rename(staging, home)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another test run on this machine may have installed the same meanwhile.
    if (!existsSync(home)) throw error
  }
}
