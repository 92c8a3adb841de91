import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Keychain, KeychainError, keychainOf } from '#cli/session/keychain'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { createRunner, type Result, type Runner } from './built-cli.ts'
import { signIn } from './sign-in.ts'

/**
 * Stand-ins for the tools of the systems. Each keeps its entries in a file, and writes down its arguments.
 */
const TOOL = `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
const folder = process.env.TOOL_FOLDER
appendFileSync(folder + '/arguments', JSON.stringify(process.argv.slice(2)) + '\\n')
if (existsSync(folder + '/broken')) { console.error('Cannot autolaunch D-Bus without X11'); process.exit(1) }
const path = folder + '/entries.json'
const entries = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
const save = () => writeFileSync(path, JSON.stringify(entries))
const args = process.argv.slice(2)
const input = () => readFileSync(0, 'utf8')
const found = (key, missing) => {
  if (entries[key] === undefined) process.exit(missing)
  process.stdout.write(entries[key] + '\\n')
}
const tools = {
  'secret-tool'() {
    const key = args.at(-1)
    if (args[0] === 'store') { entries[key] = input(); save() }
    if (args[0] === 'lookup') found(key, 1)
    if (args[0] === 'clear') { delete entries[key]; save() }
  },
  security() {
    if (args[0] === '-i') {
      const [, key, word] = /^add-generic-password -U -s footfall -a "([^"]+)" -w "([^"]+)"\\n$/.exec(input())
      entries[key] = word
      save()
    } else if (args[0] === 'find-generic-password') found(args[4], 44)
    else { if (entries[args[4]] === undefined) process.exit(44); delete entries[args[4]]; save() }
  },
  // Base64 stands for the encryption.
  'powershell.exe'() {
    const protects = args.at(-1).includes('ConvertFrom-SecureString')
    process.stdout.write(Buffer.from(input().trim(), protects ? 'utf8' : 'base64').toString(protects ? 'base64' : 'utf8') + '\\r\\n')
  },
}
tools[process.env.TOOL]()
`

function newTools(...names: string[]): string {
  const folder = newFolder()
  const path = join(folder, 'tool.mjs')
  writeFileSync(path, TOOL)
  for (const name of names) {
    const script = `#!/bin/sh\nTOOL=${name} exec '${process.execPath}' '${path}' "$@"\n`
    writeFileSync(join(folder, name), script, { mode: 0o755 })
  }
  return folder
}

const argumentsOf = (folder: string) => readFileSync(join(folder, 'arguments'), 'utf8')

describe.each([
  ['darwin', 'security'],
  ['linux', 'secret-tool'],
  ['win32', 'powershell.exe'],
] as const)('the keychain of %s', (platform, tool) => {
  let tools: string
  let keychain: Keychain
  const { PATH, TOOL_FOLDER } = process.env
  beforeEach(() => {
    tools = newTools(tool)
    process.env.TOOL_FOLDER = tools
    process.env.PATH = `${tools}:${PATH}`
    keychain = keychainOf(platform, tools) as Keychain
  })
  afterEach(() => {
    process.env.PATH = PATH
    if (TOOL_FOLDER === undefined) delete process.env.TOOL_FOLDER
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
    process.env.PATH = newFolder()
    expect(() => keychain.save('https://a.example', 'x')).toThrow(KeychainError)
  })
})

test('a system without a known keychain has none', () => {
  expect(keychainOf('aix', '/')).toBeNull()
})

describe.runIf(process.platform === 'linux')('the command line', () => {
  let service: Service
  let run: Runner
  let tools: string
  let configDir: string
  const config = () => readFileSync(join(configDir, 'config.json'), 'utf8')
  const expectNoSecrets = (text: string) => expect(text).not.toMatch(/aa[a-su-z]_[0-9a-f]{16}/)

  beforeAll(async () => {
    service = await startService({ env: { DEV_APPROVE: 'true' } })
  })
  afterAll(cleanUp)
  beforeEach(async () => {
    tools = newTools('secret-tool')
    configDir = newFolder()
    run = await createRunner({
      PATH: `${tools}:${process.env.PATH}`,
      ...{ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: configDir, TOOL_FOLDER: tools },
      ...{ AA_CREDENTIAL_STORE: '', AA_AUTH_POLL_INTERVAL_MS: '50' },
    })
  })

  test('keeps tokens in the keychain, not in its file or in arguments, and logout removes them', async () => {
    await signIn(run, service)
    const entries = readFileSync(join(tools, 'entries.json'), 'utf8')
    expect(entries).toMatch(/aas_/)
    expectNoSecrets(config() + argumentsOf(tools))
    expect(await run(['list'])).toMatchObject({ code: 0, stderr: '' })
    const status = await run(['auth', 'status', '--json'])
    expect(JSON.parse(status.stdout).stored.kind).toBe('keychain')
    expectNoSecrets(status.stdout)
    expect(await run(['logout'])).toMatchObject({ code: 0 })
    expect(readFileSync(join(tools, 'entries.json'), 'utf8')).toBe('{}')
  })

  test('ten commands at once with an old token end well, and the new tokens are in the keychain', async () => {
    await signIn(run, service)
    const path = join(tools, 'entries.json')
    const entries = JSON.parse(readFileSync(path, 'utf8'))
    const old = { ...JSON.parse(entries[service.baseUrl]), access_token: `aas_${'0'.repeat(64)}` }
    writeFileSync(path, JSON.stringify({ [service.baseUrl]: JSON.stringify(old) }))
    const results = await Promise.all(Array.from({ length: 10 }, () => run(['list'])))
    expect(results.map(({ code }) => code)).toEqual(Array(10).fill(0))
    const tokens = JSON.parse(JSON.parse(readFileSync(path, 'utf8'))[service.baseUrl])
    expect(tokens.refresh_token).not.toBe(old.refresh_token)
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
    expect(warned.at(-1)?.stderr).toContain('no keychain works here')
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
