import { expect, test } from 'vitest'
import { openCountryTable } from '#local/http/country-table'

const lookUp = openCountryTable()

test.each([
  ['8.8.8.8', 'US'],
  ['::ffff:8.8.8.8', 'US'],
  ['2001:4860:4860::8888', 'US'],
  ['193.0.6.139', 'NL'],
  ['127.0.0.1', null],
  ['10.1.2.3', null],
  ['::1', null],
  ['fe80::1%eth0', null],
  ['no address', null],
  ['', null],
])('the country of %j is %s, from the table and from the cache', (ip, country) => {
  expect([lookUp(ip), lookUp(ip)]).toEqual([country, country])
})
