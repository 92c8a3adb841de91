import { describe, expect, test } from 'vitest'
import { isAllowedOrigin, normalizeOrigins, primaryOrigin } from '#core/projects/origins'

describe('normalizeOrigins', () => {
  test.each([
    ['*', '*'],
    [' * ', '*'],
    ['https://example.com', 'https://example.com'],
    ['https://Example.COM/shop?q=1#top', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['http://example.com:8080/', 'http://example.com:8080'],
    ['example.com', 'https://example.com'],
    ['example.com/path', 'https://example.com'],
    ['localhost:3000', 'https://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['münchen.de', 'https://xn--mnchen-3ya.de'],
    [' https://a.com , b.com,https://a.com/again', 'https://a.com,https://b.com'],
  ])('%j becomes %j', (text, normalized) => {
    expect(normalizeOrigins(text)).toBe(normalized)
    expect(normalizeOrigins(normalized)).toBe(normalized)
  })

  test.each([
    '',
    ' ',
    ',',
    'https://a.com,',
    '*,https://a.com',
    'https://*.example.com',
    'ftp://example.com',
    'javascript://example.com',
    'https://user:secret@example.com',
    'https://',
    'exa mple.com',
    'https://example.com:99999',
    `${'a'.repeat(64)}.com`,
    Array.from({ length: 101 }, (_, i) => `s${i}.example.com`).join(','),
  ])('%j is rejected', text => {
    expect(() => normalizeOrigins(text)).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }))
  })
})

test('the primary origin is the first one, and * has no primary origin', () => {
  expect(primaryOrigin('https://a.com,https://b.com')).toBe('https://a.com')
  expect(primaryOrigin('*')).toBeNull()
})

describe('isAllowedOrigin', () => {
  const project = { allowed_origins: 'https://a.com,http://b.com:8080' }

  test('allows only the origins of the list, by scheme, host and port', () => {
    expect(isAllowedOrigin(project, 'https://a.com')).toBe(true)
    expect(isAllowedOrigin(project, 'https://a.com:443')).toBe(true)
    expect(isAllowedOrigin(project, 'http://b.com:8080')).toBe(true)
    for (const origin of [
      'http://a.com',
      'https://www.a.com',
      'https://a.com:8443',
      'http://b.com',
      'null',
      '',
      'https://a.com.evil.com',
    ]) {
      expect(isAllowedOrigin(project, origin)).toBe(false)
    }
  })

  test('allows requests without an Origin header, and every origin for *', () => {
    expect(isAllowedOrigin(project, undefined)).toBe(true)
    expect(isAllowedOrigin({ allowed_origins: '*' }, 'null')).toBe(true)
  })
})
