import { expect, test } from 'vitest'
import { PUBLIC_INTERNET, parsePublicUrl } from '#core/outbound/public-url'
import { isLocalAddress, isPublicSite, typedOrigin, typedOrigins } from '#dashboard/site-address'

/** The address of a site as a person types it. */

test.each([
  ['https://www.shop.example/cart?a=b', 'https://www.shop.example'],
  ['shop.example', 'https://shop.example'],
  ['http://shop.example:8080', 'http://shop.example:8080'],
  ['localhost:3000', 'http://localhost:3000'],
  ['127.0.0.1:3000/app', 'http://127.0.0.1:3000'],
  ['[::1]:3000', 'http://[::1]:3000'],
  ['https://localhost:3000', 'https://localhost:3000'],
  ['localhost.example', 'https://localhost.example'],
])('%s is of the origin %s', (typed, origin) => {
  expect(typedOrigin(typed)).toBe(origin)
})

test.each(['', ' ', '*', 'ftp://shop.example', 'javascript://alert', 'two words', '<b>'])(
  '%j is no address of a site',
  typed => {
    expect(typedOrigin(typed)).toBeNull()
  },
)

test.each([
  ['http://localhost:3000', true],
  ['http://127.1.2.3', true],
  ['http://[::1]:3000', true],
  ['https://localhost.example', false],
  ['https://shop.example', false],
  ['*', false],
])('%s is of this machine: %s', (address, isLocal) => {
  expect(isLocalAddress(address)).toBe(isLocal)
})

test.each([
  ['https://www.shop.example', true],
  ['http://shop.example', true],
  ['http://localhost:3000', false],
  ['https://shop.example:8443', false],
  ['http://10.0.0.7', false],
  ['http://[::1]', false],
  ['https://shop.local', false],
  ['https://intranet', false],
  ['*', false],
])('an analysis of %s is offered and taken: %s', (origin, isOffered) => {
  expect(isPublicSite(origin)).toBe(isOffered)
  expect(isTaken(origin)).toBe(isOffered)
})

/** Whether the service would read it. */
function isTaken(origin: string): boolean {
  try {
    return parsePublicUrl(origin, PUBLIC_INTERNET) !== null
  } catch {
    return false
  }
}

test('a list of addresses keeps what is none, so that the service can name it', () => {
  expect(typedOrigins(' localhost:3000, shop.example,ftp://x ')).toBe(
    'http://localhost:3000,https://shop.example,ftp://x',
  )
  expect([typedOrigins(''), typedOrigins('*')]).toEqual(['', '*'])
})
