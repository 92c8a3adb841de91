import { expect, test } from 'vitest'
import { isLocalAddress, typedOrigin, typedOrigins } from '#dashboard/site-address'

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

test('a list of addresses keeps what is none, so that the service can name it', () => {
  expect(typedOrigins(' localhost:3000, shop.example,ftp://x ')).toBe(
    'http://localhost:3000,https://shop.example,ftp://x',
  )
  expect([typedOrigins(''), typedOrigins('*')]).toEqual(['', '*'])
})
