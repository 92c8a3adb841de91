import { expect, test } from 'vitest'
import { sessionCookie, signInCookie } from '#lambdas/http/cookies'

const read = (baseUrl: string, header?: string) =>
  sessionCookie(baseUrl).read({ headers: { cookie: header } })

test('behind TLS the cookie belongs to this host alone', () => {
  const cookie = sessionCookie('https://stats.example.com')
  expect(cookie.set('v', 60)).toBe(
    '__Host-footfall-session=v; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60',
  )
  expect(cookie.clear()).toBe('__Host-footfall-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
})

test('two services of one machine have cookies of their own', () => {
  const header = 'footfall-session-8787=a; footfall-session-8788=b'
  expect([read('http://localhost:8787', header), read('http://localhost:8788', header)]).toEqual(['a', 'b'])
})

test('a cookie is found among others, and only under its whole name', () => {
  const header = 'x=1; other__Host-footfall-session=bad; __Host-footfall-session=good; broken'
  expect(read('https://a.example', header)).toBe('good')
  expect(read('https://a.example', 'a=__Host-footfall-session=bad')).toBeUndefined()
  expect(read('https://a.example')).toBeUndefined()
})

test('session and sign-in have different cookies', () => {
  const base = 'https://a.example'
  expect(signInCookie(base).read({ headers: { cookie: sessionCookie(base).set('v') } })).toBeUndefined()
})
