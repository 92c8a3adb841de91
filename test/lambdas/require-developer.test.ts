import { expect, test } from 'vitest'
import { requireDevApprove, requireDeveloper } from '#lambdas/auth/require-developer'

const SECRET = `aad_${'5e'.repeat(32)}`
const headers = {}
const services = { devApproveSecret: SECRET, baseUrl: 'http://localhost:8787' }

test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])(
  'a program at %s passes with the secret',
  ip => {
    expect(() => requireDevApprove({ ip, headers }, SECRET)).not.toThrow()
    expect(() => requireDeveloper({ headers }, SECRET, services)).not.toThrow()
  },
)

test.each(['203.0.113.9', '10.0.0.1', '::2', '::ffff:10.0.0.1', '1.127.0.0', null])(
  'for %s there is nothing, whatever it sends',
  ip => {
    expect(() => requireDevApprove({ ip, headers }, SECRET)).toThrow(/nothing at this path/)
  },
)

test('there is nothing where the service has no secret, and no text is its secret', () => {
  expect(() => requireDevApprove({ ip: '127.0.0.1', headers }, null)).toThrow(/nothing at this path/)
  const none = { ...services, devApproveSecret: null }
  expect(() => requireDeveloper({ headers }, '', none)).toThrow(expect.objectContaining({ status: 401 }))
})
