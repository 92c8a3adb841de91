import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings, SettingsError, settingsSchema } from '#local/settings'

test('without variables every setting has its default, and the folder is absolute', () => {
  expect(readSettings({})).toMatchObject({
    PORT: 8787,
    HOST: 'localhost',
    DATA_DIR: resolve('.footfall'),
    SEED_DEMO: true,
  })
})

test('settings cannot be changed after they are read', () => {
  expect(Object.isFrozen(readSettings({}))).toBe(true)
})

test('an empty variable counts as not set', () => {
  expect(readSettings({ PORT: '', BASE_URL: '' }).PORT).toBe(8787)
})

test('text becomes a number, a boolean, an address without a final slash, or a lower-case header name', () => {
  const settings = readSettings({
    PORT: '9000',
    SEED_DEMO: 'false',
    BASE_URL: 'https://stats.example.com/',
    COUNTRY_HEADER: 'CF-IPCountry',
    TRUSTED_PROXIES: '127.0.0.1, ::1,172.16.0.0/12',
  })
  expect(settings).toMatchObject({
    PORT: 9000,
    SEED_DEMO: false,
    BASE_URL: 'https://stats.example.com',
    COUNTRY_HEADER: 'cf-ipcountry',
    TRUSTED_PROXIES: ['127.0.0.1', '::1', '172.16.0.0/12'],
  })
})

describe.each([
  ['PORT', '80a'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['HOST', 'a b'],
  ['BASE_URL', 'stats.example.com'],
  ['BASE_URL', 'ftp://example.com'],
  // Snippets, cookies, sign-in and the tracker all take the origin alone.
  ['BASE_URL', 'https://example.com/stats'],
  ['BASE_URL', 'https://example.com/stats/'],
  ['BASE_URL', 'https://example.com/?a=b'],
  ['BASE_URL', 'https://example.com#a'],
  ['BASE_URL', 'https://me@example.com'],
  ['COUNTRY_HEADER', 'cf country'],
  ['TRUSTED_PROXIES', 'nginx'],
  ['TRUSTED_PROXIES', '10.0.0.0/33'],
  ['TRUSTED_PROXIES', '10.0.0.1,'],
  ['SEED_DEMO', 'perhaps'],
  ['QUERY_MEMORY_MB', '1e3'],
  ['QUERY_CONCURRENCY', '0'],
  ['STREAM_RETENTION_MINUTES', '1.5'],
])('%s=%s', (name, value) => {
  test('is refused with its name, its accepted values and its value', () => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError)
    expect(() => readSettings({ [name]: value })).toThrow(
      new RegExp(`^${name} must be .*, not "${value.replace('?', '\\?')}"\\.$`),
    )
  })
})

test('several wrong variables are named in one error', () => {
  expect(() => readSettings({ PORT: 'x', QUERY_THREADS: 'y' })).toThrow(/PORT .*\nQUERY_THREADS /)
})

test('docs/settings.md lists every setting', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/settings.md'), 'utf8')
  for (const name of Object.keys(settingsSchema.shape)) expect(page).toContain(`| \`${name}\` |`)
})

test('every setting has a description for docs/settings.md', () => {
  for (const [name, schema] of Object.entries(settingsSchema.shape)) {
    expect(schema.meta()?.description, name).toMatch(/^[A-Z].{5,}/)
  }
})

test('the message about a wrong secret does not repeat it', () => {
  const read = () => readSettings({ OPENID_CLIENT_SECRET: 'hush\nhush', PORT: 'x' })
  expect(read).toThrow(/OPENID_CLIENT_SECRET must be one line of text\./)
  expect(read).not.toThrow(/hush/)
})

test('a header with the country needs the proxies that send it', () => {
  expect(() => readSettings({ COUNTRY_HEADER: 'cf-ipcountry' })).toThrow(
    /^COUNTRY_HEADER needs TRUSTED_PROXIES/,
  )
})

test.each(['0.0.0.0', '::', '192.168.1.5', 'stats.example.com'])(
  'approval without a human is refused with HOST=%s',
  HOST => {
    expect(() => readSettings({ HOST, DEV_APPROVE: 'true' })).toThrow(/^DEV_APPROVE must be false/)
    expect(readSettings({ HOST }).HOST).toBe(HOST)
  },
)

test.each(['localhost', '127.0.0.1', '::1'])('approval without a human is accepted with HOST=%s', HOST => {
  expect(readSettings({ HOST, DEV_APPROVE: 'true' }).DEV_APPROVE).toBe(true)
})
