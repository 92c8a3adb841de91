import { expect, test } from 'vitest'
import { withoutSlash } from '#lambdas/http/without-slash'

/** A page of the dashboard is found with a slash at its end too. */

test.each([
  ['/app/', '/app'],
  ['/app/p/demo/', '/app/p/demo'],
  ['/app/p/demo/pages/?range=7d&f=country:eq:DE', '/app/p/demo/pages?range=7d&f=country:eq:DE'],
  ['/app/demo/', '/app/demo'],
  ['/share/secret/pages/', '/share/secret/pages'],
])('%s leads to %s', (url, to) => {
  expect(withoutSlash('GET', url)).toMatchObject({ status: 308, headers: { Location: to } })
})

test.each([
  ['GET', '/stats/'],
  ['POST', '/app/p/demo/'],
  ['GET', '/app/p/demo'],
  ['GET', '//evil.example/app/'],
  ['GET', '/app//'],
  ['GET', '/app/p/demo/pages/more/'],
])('%s %s leads nowhere', (method, url) => {
  expect(withoutSlash(method, url)).toBeNull()
})
