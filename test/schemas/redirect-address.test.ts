import { describe, expect, test } from 'vitest'
import { isOneOfRedirects, isRedirectAddress } from '#schemas/redirect-address'

describe('an address that answers may go to', () => {
  test.each([
    'https://client.example/callback',
    'https://client.example:8443/callback?keep=1',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1234/callback',
    'http://localhost:1234',
    'http://[::1]:1234/callback',
  ])('%s is accepted', address => expect(isRedirectAddress(address)).toBe(true))

  test.each([
    ['http on another machine', 'http://client.example/callback'],
    ['a name that begins like loopback', 'http://127.0.0.1.evil.example/callback'],
    ['a user name', 'https://client.example@evil.example/callback'],
    ['a user name before loopback', 'http://evil.example@127.0.0.1/callback'],
    ['a fragment', 'https://client.example/callback#part'],
    ['an empty fragment', 'https://client.example/callback#'],
    ['another scheme', 'cursor://client/callback'],
    ['a script', 'javascript:alert(1)//https://client.example'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a backslash', 'https:\\\\client.example\\callback'],
    ['a backslash behind the host', 'http://127.0.0.1\\@evil.example/'],
    ['a line end', 'https://client.example/call\nback'],
    ['a scheme without slashes', 'https:client.example/callback'],
    ['no address', 'callback'],
    ['nothing', ''],
    ['more than 2048 characters', `https://client.example/${'x'.repeat(2_048)}`],
  ])('%s is refused', (_, address) => expect(isRedirectAddress(address)).toBe(false))
})

describe('the addresses of one client', () => {
  const OWN = ['https://client.example/callback', 'http://127.0.0.1/callback?keep=1', 'http://[::1]:1/']

  test.each([
    'https://client.example/callback',
    'http://127.0.0.1/callback?keep=1',
    'http://127.0.0.1:9876/callback?keep=1',
    'http://[::1]:65535/',
  ])('%s is one of them', address => expect(isOneOfRedirects(address, OWN)).toBe(true))

  test.each([
    ['a longer path', 'https://client.example/callback/more'],
    ['a further parameter', 'https://client.example/callback?to=evil'],
    ['another letter case', 'https://client.example/Callback'],
    ['another port of https', 'https://client.example:8443/callback'],
    ['another host below it', 'https://evil.client.example/callback'],
    ['dot segments', 'https://client.example/a/../callback'],
    ['another path on loopback', 'http://127.0.0.1:9876/other?keep=1'],
    ['another query on loopback', 'http://127.0.0.1:9876/callback'],
    ['another name of loopback', 'http://localhost:9876/callback?keep=1'],
    ['https of loopback', 'https://127.0.0.1/callback?keep=1'],
    ['a fragment', 'https://client.example/callback#x'],
  ])('%s is none of them', (_, address) => expect(isOneOfRedirects(address, OWN)).toBe(false))
})
