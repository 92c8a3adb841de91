import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { chooseBaseUrl } from '#cli/http/base-url'
import { cleanUp, newFolder } from '#test/support/service-process'

afterAll(cleanUp)

const INSECURE = expect.objectContaining({ problem: expect.objectContaining({ error: 'INSECURE_ADDRESS' }) })
const nothing = () => undefined

/** Each place that an address may come from. */
const places: [name: string, choose: (address: string, insecure?: boolean) => string][] = [
  ['the option', (baseUrl, insecure = false) => chooseBaseUrl({ baseUrl, insecure }, {}, nothing)],
  ['the environment', (url, insecure = false) => chooseBaseUrl({ insecure }, { AA_BASE_URL: url }, nothing)],
  ['the last login', (url, insecure = false) => chooseBaseUrl({ insecure }, {}, () => url)],
  [
    'a data folder',
    (url, insecure = false) => chooseBaseUrl({ insecure }, { DATA_DIR: dataFolder(url) }, nothing),
  ],
]

function dataFolder(base_url: string): string {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify({ base_url }))
  return folder
}

describe.each(places)('an address of %s', (_, choose) => {
  test.each([
    ['https://stats.example.com', 'https://stats.example.com'],
    ['https://stats.example.com/a//', 'https://stats.example.com/a'],
    ['http://localhost:8787/', 'http://localhost:8787'],
    ['HTTP://LOCALHOST', 'http://localhost'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
    ['http://127.9.9.9', 'http://127.9.9.9'],
    ['http://0x7f000001', 'http://127.0.0.1'],
    ['http://[::1]:8787', 'http://[::1]:8787'],
    ['http://[0:0:0:0:0:0:0:1]', 'http://[::1]'],
  ])('%s is used', (address, used) => {
    expect(choose(address)).toBe(used)
  })

  test.each([
    'http://stats.example.com',
    'http://localhost.evil.com',
    'http://127.0.0.1.nip.io',
    'http://127.0.0.1.evil.com:8787',
    'http://evil.localhost',
    'http://localhost.',
    'http://0.0.0.0:8787',
    'http://0',
    'http://192.168.1.5',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[fe80::1]',
    'http://1.127.0.0',
    'http://lоcalhost',
    'http:\\\\stats.example.com',
  ])('%s is refused, unless --insecure is there', address => {
    expect(() => choose(address)).toThrow(INSECURE)
    expect(choose(address, true)).toMatch(/^http:/)
  })

  test('http://127.0.0.1@evil.com is no address', () => {
    expect(() => choose('http://127.0.0.1@evil.com')).toThrow(/must look like/)
  })
})
