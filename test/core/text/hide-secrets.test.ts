import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { randomSecret, sessionToken } from '#core/secrets/tokens'
import { hideSecrets, withoutSecrets } from '#core/text/hide-secrets'

const at = { account_id: 'acc_0123456789abcdef', session_id: 'ags_0123456789abcdef' }
const token = () => randomBytes(32).toString('base64url')

test.each<[what: string, secret: string, shown: string]>([
  ['an API key', `aak_0123456789abcdef${randomSecret()}`, 'aak_…'],
  ['an API key of the first edition', `aak_${randomSecret()}`, 'aak_…'],
  ['an access token', sessionToken('aas', at, randomSecret()), 'aas_…'],
  ['a refresh token', sessionToken('aar', at, randomSecret()), 'aar_…'],
  ['a poll token', `aap_${randomSecret()}`, 'aap_…'],
  ['an exchange code', `aae_${randomSecret()}`, 'aae_…'],
  ['a claim token', `aac_${randomSecret()}`, 'aac_…'],
  ['a cookie', `aab_${randomSecret()}`, 'aab_…'],
  ['the secret of POST /dev/approve', `aad_${randomSecret()}`, 'aad_…'],
  ['a resume token', `rst_${randomSecret()}`, 'rst_…'],
  ['a key in capitals', `AAK_${randomSecret().toUpperCase()}`, 'AAK_…'],
  ['the token of a setup link', token(), '…'],
  ['a sign-in code', 'ABCD-2345-EFGH-6789', '…'],
  ['a key of the payment provider', `sk_live_${'aB3'.repeat(8)}`, 'sk_live_…'],
])('%s is hidden wherever it stands', (_what, secret, shown) => {
  for (const [before, after] of [
    ['', ''],
    ['project "', '" is unknown'],
    ['?key=', '&since=7d'],
    ['a\n', '\nb'],
  ]) {
    expect(hideSecrets(`${before}${secret}${after}`)).toBe(`${before}${shown}${after}`)
  }
})

test('a part of a secret is hidden, too', () => {
  const key = `aak_${randomSecret()}`
  for (let length = 12; length < key.length; length++) expect(hideSecrets(key.slice(0, length))).toBe('aak_…')
})

test('a token with the form of another secret in its middle is hidden as a whole', () => {
  const token = `Start-Of-A_${'aak_0123456789'}-${'x'.repeat(17)}`
  expect(token).toHaveLength(43)
  expect(hideSecrets(`The link ${token} is used.`)).toBe('The link … is used.')
})

test('hundreds of random tokens of setup links are all hidden', () => {
  for (let i = 0; i < 500; i++) expect(hideSecrets(token())).toBe('…')
})

test.each([
  `aat_${'0a'.repeat(24)}`,
  'first_event_at is the time of the first_impression',
  'aak_… is an API key',
  'GET /projects lists the projects',
  'proj_0123456789abcdef',
  '2026-11-23T01:02:03.000Z',
  '0a'.repeat(32),
])('%s is no secret', text => {
  expect(hideSecrets(text)).toBe(text)
})

test('every text of a value is searched, names of fields included; other values stay as they are', () => {
  const key = `aak_${randomSecret()}`
  expect(withoutSecrets({ [key]: [1, null, { a: key }], at: true })).toEqual({
    'aak_…': [1, null, { a: 'aak_…' }],
    at: true,
  })
  const plain = { at: new Date(0), none: undefined }
  expect(withoutSecrets(plain)).toEqual(plain)
  expect(withoutSecrets(undefined)).toBe(undefined)
})
