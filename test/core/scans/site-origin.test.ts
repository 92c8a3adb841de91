import { expect, test } from 'vitest'
import { siteOriginOf } from '#core/scans/site-origin'

const project = (allowed_origins: string) => ({ id: 'prj_1', allowed_origins })
const site = (url: string) => ({ normalized_url: url, hostname: new URL(url).hostname })

test('a site that answers at www. is none that a project of the bare host takes events of', () => {
  expect(siteOriginOf(site('https://www.example.com/'), project('https://example.com'))).toEqual({
    origin: 'https://www.example.com',
    is_allowed: false,
    change: {
      method: 'PATCH',
      path: '/projects/prj_1',
      body: { allowed_origins: 'https://example.com,https://www.example.com' },
    },
  })
})

test.each([
  ['*', 'https://shop.example.net/'],
  ['https://example.com', 'https://example.com/pricing?x=1'],
  ['https://a.test,https://www.example.com', 'https://www.example.com/'],
  ['http://localhost:3000', 'http://localhost:3000/'],
])('a project of %s takes events of %s', (origins, url) => {
  expect(siteOriginOf(site(url), project(origins))).toMatchObject({ is_allowed: true, change: null })
})

test.each([
  ['https://example.com', 'http://example.com/'],
  ['https://example.com', 'https://example.org/'],
  ['https://example.com', 'https://example.com:8443/'],
])('a project of %s takes none of %s', (origins, url) => {
  const origin = siteOriginOf(site(url), project(origins))
  expect(origin).toMatchObject({ is_allowed: false, origin: new URL(url).origin })
})

test('a result of before, which names the address that was asked for, is judged by its host', () => {
  const before = { normalized_url: 'https://example.com/', hostname: 'www.example.com' }
  expect(siteOriginOf(before, project('https://example.com'))?.origin).toBe('https://www.example.com')
})
