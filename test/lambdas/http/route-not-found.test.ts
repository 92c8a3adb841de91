import { expect, test } from 'vitest'
import { routeNotFound } from '#lambdas/http/route-not-found'

test.each([
  ['/stat?project=demo', ' Did you mean /stats?'],
  ['/sesions', ' Did you mean /sessions?'],
  ['/all-sites', ' Did you mean /account/all-sites?'],
  ['/zebra', ''],
])('an unknown path such as %s names the nearest one', (path, advice) => {
  const { code, message } = routeNotFound('GET', path)
  expect([code, message]).toEqual([
    'NOT_FOUND',
    `This path does not exist.${advice} GET /llms.txt lists the paths.`,
  ])
})

test.each([
  ['POST', '/stats', 'GET, HEAD, OPTIONS.', ''],
  ['POST', '/properties', 'GET, HEAD, OPTIONS.', ''],
  ['GET', '/events/lookup', 'POST, OPTIONS.', ' Did you mean GET /events?'],
  ['POST', '/sessions', 'GET, HEAD, OPTIONS.', ''],
  ['DELETE', '/project-context', 'GET, PUT, HEAD, OPTIONS.', ''],
  ['POST', '/account/bot-traffic', 'GET, HEAD, OPTIONS.', ''],
  // The path /experiments/{id} matches it too.
  ['PUT', '/experiments/config', 'GET, PATCH, DELETE, HEAD, OPTIONS.', ''],
])('a wrong method such as %s %s names the nearest path that has it', (method, path, allowed, advice) => {
  const { code, message } = routeNotFound(method, path)
  const expected = `This path does not accept ${method}. Use one of ${allowed}${advice}`
  expect([code, message]).toEqual(['METHOD_NOT_ALLOWED', expected])
})

test('a wrong method names those of the path', () => {
  const { code, message } = routeNotFound('PUT', '/query')
  expect([code, message]).toEqual([
    'METHOD_NOT_ALLOWED',
    'This path does not accept PUT. Use one of POST, OPTIONS.',
  ])
})
