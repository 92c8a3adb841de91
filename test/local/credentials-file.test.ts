import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { AccountStore } from '#core/accounts/store'
import {
  apiKeyPath,
  credentialsPath,
  readCredentials,
  withKeyFiles,
  writeApiKey,
  writeCredentials,
} from '#local/credentials-file'
import { cleanUp, newFolder } from '#test/support/service-process'

afterAll(cleanUp)

const CREDENTIALS = {
  base_url: 'http://localhost:8787',
  account_id: 'acc_1',
  api_key: 'aak_1',
  project: 'demo',
  project_token: 'aat_1',
}

test('the key alone is in a file that only its owner may read, and `cat` of it is a header value', () => {
  const folder = newFolder()
  writeApiKey(folder, 'aak_1')
  expect(readFileSync(apiKeyPath(folder), 'utf8')).toBe('aak_1\n')
  expect(statSync(apiKeyPath(folder)).mode & 0o777).toBe(0o600)
})

test('a file of the key that is missing, cut or of an older key is written again, and a good one is left alone', () => {
  const folder = newFolder()
  const path = apiKeyPath(folder)
  for (const content of [null, '', 'aak_0\n']) {
    if (content === null) rmSync(path, { force: true })
    else writeFileSync(path, content)
    writeApiKey(folder, 'aak_1')
    expect(readFileSync(path, 'utf8')).toBe('aak_1\n')
  }
  const { ino, mtimeNs } = statSync(path, { bigint: true })
  writeApiKey(folder, 'aak_1')
  expect(statSync(path, { bigint: true })).toMatchObject({ ino, mtimeNs })
})

test('the credentials are read as they were written, and null without a file', () => {
  const folder = newFolder()
  expect(readCredentials(folder)).toBeNull()
  writeCredentials(folder, CREDENTIALS)
  expect(readCredentials(folder)).toEqual(CREDENTIALS)
  expect(existsSync(join(folder, 'credentials.json.unfinished'))).toBe(false)
})

/** Accounts that issue the key `aak_2` to everybody, and what they log. */
function accountsOf(folder: string) {
  const logged: string[] = []
  const accounts = { issueApiKey: async () => 'aak_2' } as unknown as AccountStore
  return { accounts: withKeyFiles(accounts, folder, code => logged.push(code)), logged }
}

test('a new key of the owner goes into both files, one of another account into none', async () => {
  const folder = newFolder()
  writeCredentials(folder, CREDENTIALS)
  writeApiKey(folder, 'aak_1')
  const { accounts, logged } = accountsOf(folder)
  expect(await accounts.issueApiKey('acc_other')).toBe('aak_2')
  expect(readCredentials(folder)).toEqual(CREDENTIALS)
  expect(await accounts.issueApiKey('acc_1')).toBe('aak_2')
  expect(readCredentials(folder)).toEqual({ ...CREDENTIALS, api_key: 'aak_2' })
  expect(readFileSync(apiKeyPath(folder), 'utf8')).toBe('aak_2\n')
  expect(logged).toEqual([])
})

test('files that cannot be written are logged, and the caller gets the new key', async () => {
  const folder = newFolder()
  writeFileSync(credentialsPath(folder), 'cut')
  const { accounts, logged } = accountsOf(folder)
  expect(await accounts.issueApiKey('acc_1')).toBe('aak_2')
  expect(logged).toEqual(['KEY_FILES_STALE'])
})
