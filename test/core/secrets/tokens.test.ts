import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { approvalCode, isSame } from '#core/secrets/tokens'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Names of values that only their owner may know, and of their hashes. */
const SECRET = String.raw`[\w.?]*(?:[hH]ash|[sS]ecret|[tT]oken|[cC]srf|[cC]hallenge|[vV]erifier|[eE]dgeKey)`
/** Which of two secrets, or where there is one at all, is no guess at a secret. */
const HARMLESS = `(?:undefined|null|''|typeof)`
/**
 * Where somebody may guess. Project tokens and hashes of e-mail addresses, elsewhere, are no secrets of this
 * kind.
 */
const FOLDERS = [
  ...['secrets', 'accounts', 'billing', 'limits', 'access'].map(name => `core/${name}`),
  ...['lambdas', 'local/identity', 'local/access', 'providers'],
]
const COMPARISONS = [
  new RegExp(String.raw`${SECRET}\)? [!=]==? (?!${HARMLESS})`),
  new RegExp(String.raw`[!=]==? ${SECRET}\b`),
]

test('the time of a comparison does not tell how much of a wrong secret was right: only isSame compares secrets', () => {
  const files = FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name)),
  )
  const lines = files.flatMap(file =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .filter(line => COMPARISONS.some(comparison => comparison.test(line)))
      .map(line => `${file}: ${line.trim()}`),
  )
  expect(lines).toEqual([])
  expect(
    COMPARISONS.some(comparison => comparison.test('if (item.refresh_hash !== hash) throw wrong()')),
  ).toBe(true)
})

test.each([
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'ab', false],
  ['', '', true],
  ['é', 'e\u0301', false],
])('isSame compares %j and %j, also of different lengths', (a, b, same) => {
  expect(isSame(a, b)).toBe(same)
})

test('an approval code has 8 characters of A-Z and 2-9', () => {
  for (let i = 0; i < 200; i++) expect(approvalCode()).toMatch(/^[A-Z2-9]{8}$/)
})
