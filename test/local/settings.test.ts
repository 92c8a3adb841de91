import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings, SettingsError, settingsSchema } from '#local/settings'

test('without any variable the defaults hold, and the folder is absolute', () => {
  expect(readSettings({})).toMatchObject({
    PORT: 8787,
    HOST: 'localhost',
    DATA_DIR: resolve('.footfall'),
    SEED_DEMO: true,
  })
})

test('settings cannot be changed after they were read', () => {
  expect(Object.isFrozen(readSettings({}))).toBe(true)
})

test('an empty variable counts as not set', () => {
  expect(readSettings({ PORT: '', BASE_URL: '' }).PORT).toBe(8787)
})

test('numbers, switches, addresses and header names are read from text', () => {
  const settings = readSettings({
    PORT: '9000',
    SEED_DEMO: 'false',
    BASE_URL: 'https://stats.example.com/',
    COUNTRY_HEADER: 'CF-IPCountry',
  })
  expect(settings).toMatchObject({
    PORT: 9000,
    SEED_DEMO: false,
    BASE_URL: 'https://stats.example.com',
    COUNTRY_HEADER: 'cf-ipcountry',
  })
})

describe.each([
  ['PORT', '80a'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['HOST', 'a b'],
  ['BASE_URL', 'stats.example.com'],
  ['BASE_URL', 'ftp://example.com'],
  ['COUNTRY_HEADER', 'cf country'],
  ['SEED_DEMO', 'perhaps'],
  ['QUERY_MEMORY_MB', '1e3'],
  ['QUERY_CONCURRENCY', '0'],
  ['STREAM_RETENTION_MINUTES', '1.5'],
])('%s=%s', (name, value) => {
  test('is refused by name, with what is accepted', () => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError)
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must be`))
  })
})

test('every wrong variable is named at once', () => {
  expect(() => readSettings({ PORT: 'x', QUERY_THREADS: 'y' })).toThrow(/PORT .*\nQUERY_THREADS /)
})

test('the README lists every setting', () => {
  const readme = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8')
  for (const name of Object.keys(settingsSchema.shape)) expect(readme).toContain(`| \`${name}\` |`)
})
