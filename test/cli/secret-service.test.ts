import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { cleanUp, newFolder } from '#test/support/service-process'
import { createProcessRunner } from './built-cli.ts'
import { demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'

/**
 * The command line with GNOME Keyring itself, on a session bus of its own and in a new home, so that the
 * keychain of the tester is not touched. It runs where these programs are: apt-get install libsecret-tools
 * gnome-keyring dbus.
 */
const PROGRAMS = ['secret-tool', 'gnome-keyring-daemon', 'dbus-daemon']

const children = new Set<ChildProcess>()
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  await cleanUp()
})

function isOnPath(program: string): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v "$0"', program])
    return true
  } catch {
    return false
  }
}

function start(program: string, args: readonly string[], env: Record<string, string>): ChildProcess {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  children.add(child)
  return child
}

/** Resolves with the first line that the process prints. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part
      const [line, rest] = text.split('\n')
      if (rest !== undefined) resolve(line as string)
    })
    child.on('error', reject)
    child.on('exit', code => reject(new Error(`It ended with ${code} before its first line: ${text}`)))
  })
}

/** Starts a bus and an unlocked keyring. Returns the environment of a program of that desktop. */
async function openDesktop(): Promise<Record<string, string>> {
  const home = newFolder()
  const base = { PATH: process.env.PATH as string, HOME: home, XDG_RUNTIME_DIR: home }
  const bus = await firstLine(start('dbus-daemon', ['--session', '--nofork', '--print-address'], base))
  const env = { ...base, DBUS_SESSION_BUS_ADDRESS: bus }
  // It returns when the keyring is there. A question before that would let the bus start a locked one. The
  // keyring ends with its bus.
  execFileSync('gnome-keyring-daemon', ['--unlock', '--components=secrets'], {
    ...{ env, input: 'password of a test', stdio: ['pipe', 'ignore', 'ignore'] },
  })
  return env
}

test('GNOME Keyring keeps the tokens of a login, ten commands at once refresh them, and logout removes them', async context => {
  const missing = PROGRAMS.filter(program => !isOnPath(program))
  if (missing.length > 0) return context.skip(`${missing.join(', ')} not on this machine.`)
  const [env, service] = await Promise.all([openDesktop(), demoService()])
  const config = newFolder()
  const run = await createProcessRunner({
    ...env,
    ...{ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: config, AA_CREDENTIAL_STORE: 'native' },
  })
  await signIn(run, service)
  const ask = ['lookup', 'service', 'footfall', 'account', service.baseUrl]
  const stored = () => JSON.parse(execFileSync('secret-tool', ask, { env, encoding: 'utf8' }))
  const first = stored()
  expect(first.access_token).toMatch(/^aas_/)
  expect(readFileSync(join(config, 'config.json'), 'utf8')).not.toContain(first.access_token)

  const old = { ...first, access_token: `aas_${'0'.repeat(64)}` }
  const args = ['store', '--label', 'old', 'service', 'footfall', 'account', service.baseUrl]
  execFileSync('secret-tool', args, { env, input: JSON.stringify(old) })
  const results = await Promise.all(Array.from({ length: 10 }, () => run(['list'])))
  expect(results.map(({ code, stderr }) => [code, stderr])).toEqual(Array(10).fill([0, '']))
  expect(stored().refresh_token).not.toBe(first.refresh_token)

  expect(await run(['logout'])).toMatchObject({ code: 0 })
  expect(() => stored()).toThrow()
})
