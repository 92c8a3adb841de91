import { expect, test } from 'vitest'
import { routeNotFound } from '#lambdas/route-not-found'

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

test('a wrong method names those of the path', () => {
  const { code, message } = routeNotFound('PUT', '/query')
  expect([code, message]).toEqual([
    'METHOD_NOT_ALLOWED',
    'This path does not accept PUT. Use one of POST, OPTIONS.',
  ])
})
