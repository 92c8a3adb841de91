import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Keychain, KeychainError, keychainOf } from '#cli/session/keychain'
import { cleanUp, newFolder } from '#test/support/service-process'
import type { Result, Runner } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { createRunner } from './world.ts'

/**
 * Stand-ins for the tools of the systems. Each keeps its entries in files, and writes down its arguments.
 * They are scripts of the shell, because a command starts several.
 */
const TOOL = `#!/bin/sh
printf '%s\\n' "$@" >> "$TOOL_FOLDER/arguments"
if [ -e "$TOOL_FOLDER/broken" ]; then echo 'Cannot autolaunch D-Bus without X11' >&2; exit 1; fi
for last; do :; done
file_of() { printf '%s/entries/%s' "$TOOL_FOLDER" "$(printf %s "$1" | tr /: __)"; }
# Prints the entry, or ends with the code of a missing one.
found() { [ -e "$1" ] || exit "$2"; cat "$1"; echo; }
case "\${0##*/} $1" in
'secret-tool store') cat > "$(file_of "$last")" ;;
'secret-tool lookup') found "$(file_of "$last")" 1 ;;
'secret-tool clear') rm -f "$(file_of "$last")" ;;
'security -i')
  read -r line
  part() {
    printf %s "$line" |
      sed -n 's/^add-generic-password -U -s footfall -a "\\([^"]*\\)" -w "\\([^"]*\\)"$/\\'"$1"'/p'
  }
  part 2 | tr -d '\\n' > "$(file_of "$(part 1)")"
  ;;
'security find-generic-password') found "$(file_of "$5")" 44 ;;
'security delete-generic-password') found "$(file_of "$5")" 44; rm "$(file_of "$5")" ;;
# Base64 stands for the encryption.
'powershell.exe '*)
  case "$last" in
  *ConvertFrom-SecureString*) base64 | tr -d '\\n' ;;
  *) base64 -d ;;
  esac
  printf '\\r\\n'
  ;;
esac
`

function newTools(...names: string[]): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'entries'))
  for (const name of names) writeFileSync(join(folder, name), TOOL, { mode: 0o755 })
  return folder
}

/** The file in which a tool keeps the entry of an address. */
const entryOf = (folder: string, address: string) => join(folder, 'entries', address.replace(/[/:]/g, '_'))
const argumentsOf = (folder: string) => readFileSync(join(folder, 'arguments'), 'utf8')

describe.each([
  ['darwin', 'security'],
  ['linux', 'secret-tool'],
  ['win32', 'powershell.exe'],
] as const)('the keychain of %s', (platform, tool) => {
  let tools: string
  let keychain: Keychain
  const keychainIn = (PATH: string) =>
    keychainOf({ platform, env: { PATH, TOOL_FOLDER: tools } }, tools) as Keychain
  beforeEach(() => {
    tools = newTools(tool)
    keychain = keychainIn(`${tools}:${process.env.PATH}`)
  })

  test('gives back what it got, replaces it, and forgets it', () => {
    const address = 'https://stats.example.com'
    expect(keychain.load(address)).toBeNull()
    for (const secret of ['{"a":"secret-1"}', '{"a":"secret-2","b":"\\"x y"}']) {
      keychain.save(address, secret)
      expect(keychain.load(address)).toBe(secret)
    }
    keychain.save('https://other.example.com', 'secret-3')
    keychain.remove(address)
    expect([keychain.load(address), keychain.load('https://other.example.com')]).toEqual([null, 'secret-3'])
    keychain.remove(address)
    expect(argumentsOf(tools)).not.toMatch(/secret-\d/)
  })

  test('that does not work is an error', () => {
    writeFileSync(join(tools, 'broken'), '')
    expect(() => keychain.save('https://a.example', 'x')).toThrow(KeychainError)
    expect(() => keychainIn(newFolder()).save('https://a.example', 'x')).toThrow(KeychainError)
  })
})

test('a system without a known keychain has none', () => {
  expect(keychainOf({ platform: 'aix', env: {} }, '/')).toBeNull()
})

describe.runIf(process.platform === 'linux')('the command line', () => {
  let service: DemoService
  let run: Runner
  let tools: string
  let configDir: string
  const config = () => readFileSync(join(configDir, 'config.json'), 'utf8')
  const expectNoSecrets = (text: string) => expect(text).not.toMatch(/aa[a-su-z]_[0-9a-f]{16}/)

  beforeAll(async () => {
    service = await demoService()
  })
  afterAll(cleanUp)
  beforeEach(async () => {
    tools = newTools('secret-tool')
    configDir = newFolder()
    run = createRunner({
      PATH: `${tools}:${process.env.PATH}`,
      ...{ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: configDir, TOOL_FOLDER: tools },
      ...{ AA_CREDENTIAL_STORE: '', AA_AUTH_POLL_INTERVAL_MS: '50' },
    })
  })

  test('keeps tokens in the keychain, not in its file or in arguments, and logout removes them', async () => {
    await signIn(run, service)
    expect(readFileSync(entryOf(tools, service.baseUrl), 'utf8')).toMatch(/aas_/)
    expectNoSecrets(config() + argumentsOf(tools))
    expect(await run(['list'])).toMatchObject({ code: 0, stderr: '' })
    const status = await run(['auth', 'status', '--json'])
    expect(JSON.parse(status.stdout).stored.kind).toBe('keychain')
    expectNoSecrets(status.stdout)
    expect(await run(['logout'])).toMatchObject({ code: 0 })
    expect(readdirSync(join(tools, 'entries'))).toEqual([])
  })

  test('ten commands at once with an old token end well, and the new tokens are in the keychain', async () => {
    await signIn(run, service)
    const path = entryOf(tools, service.baseUrl)
    const tokens = () => JSON.parse(readFileSync(path, 'utf8'))
    const old = { ...tokens(), access_token: `aas_${'0'.repeat(64)}` }
    writeFileSync(path, JSON.stringify(old))
    const results = await Promise.all(Array.from({ length: 10 }, () => run(['list'])))
    expect(results.map(({ code }) => code)).toEqual(Array(10).fill(0))
    expect(tokens().refresh_token).not.toBe(old.refresh_token)
    expectNoSecrets(config())
  })

  test('falls back to its file with a warning when the keychain does not work; file chooses it without one', async () => {
    writeFileSync(join(tools, 'broken'), '')
    const warned: Result[] = []
    const watched: Runner = async (args, env) => {
      const result = await run(args, env)
      warned.push(result)
      return result
    }
    await signIn(watched, service)
    expect(warned.at(-1)?.stderr).toContain('No keychain works here')
    expect(config()).toMatch(/aas_/)
    expect(await run(['list'])).toMatchObject({ code: 0, stderr: '' })
    await signIn((args, env) => run(args, { ...env, AA_CREDENTIAL_STORE: 'file' }), service)
    expect(readdirSync(configDir)).toEqual(['config.json'])
  })

  test('native refuses a keychain that does not work, before any request', async () => {
    writeFileSync(join(tools, 'broken'), '')
    const away = { AA_CREDENTIAL_STORE: 'native', AA_BASE_URL: 'http://127.0.0.1:9' }
    const { code, stderr } = await run(['login', '--detached', '--json'], away)
    expect({ code, error: JSON.parse(stderr).error }).toEqual({ code: 1, error: 'KEYCHAIN_UNAVAILABLE' })
    expect(existsSync(join(configDir, 'config.json'))).toBe(false)
  })

  test('a keychain that is locked later is an error that says what to do, and logout still ends the session here', async () => {
    await signIn(run, service)
    writeFileSync(join(tools, 'broken'), '')
    const { code, stderr } = await run(['list', '--json'])
    expect({ code, ...JSON.parse(stderr) }).toMatchObject({
      code: 1,
      error: 'KEYCHAIN_UNAVAILABLE',
      retryable: true,
    })
    expect(await run(['logout'])).toMatchObject({ code: 0 })
    expect(JSON.parse(config()).sessions).toEqual({})
  })
})
