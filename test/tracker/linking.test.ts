import { expect, test } from 'vitest'
import { isListed, withLinkedId } from '#tracker/linking'
import { readSettings } from '#tracker/settings'

test.each([
  ['', '_aa=anon_1'],
  ['?a=b%20c+d&e', 'a=b%20c+d&e&_aa=anon_1'],
  ['?_aa=anon_2&a=1', 'a=1&_aa=anon_1'],
  ['?b_aa=1&_aab=2', 'b_aa=1&_aab=2&_aa=anon_1'],
])('the query %j becomes %j with an id, without its question mark', (query, linked) => {
  expect(withLinkedId(query, 'anon_1')).toBe(linked)
})

test.each([
  ['', ''],
  ['?_aa=anon_1', ''],
  ['?a=b%20c+d&_aa=anon_1&e=%F0', 'a=b%20c+d&e=%F0'],
])('the query %j becomes %j without an id', (query, rest) => {
  expect(withLinkedId(query)).toBe(rest)
})

function listed(hosts: string[], linkDomains?: string) {
  readSettings({ src: 'https://stats.test/tracker.js', dataset: { token: 't', linkDomains } })
  return hosts.map(host => !!isListed(host))
}

test('a host is listed when it is a domain of the list or a subdomain', () => {
  const domains = ' shop.test,Blog.test , , docs.test'
  expect(listed(['shop.test', 'blog.test', 'www.docs.test'], domains)).toEqual([true, true, true])
  expect(listed(['otherdocs.test', 'test', '', 'docs.test.evil'], domains)).toEqual([
    false,
    false,
    false,
    false,
  ])
  expect(listed(['shop.test'])).toEqual([false])
})
