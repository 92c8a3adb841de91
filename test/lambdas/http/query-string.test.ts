import { expect, test } from 'vitest'
import { queryString } from '#lambdas/http/query-string'

test.each([
  ['project=shop&since=7d', { project: 'shop', since: '7d' }],
  ['a=1&a=2', { a: '2' }],
  ['a=x+y&b=%2B&c=%C3%A4', { a: 'x y', b: '+', c: 'ä' }],
  ['a&b=&&c=1=2', { a: '', b: '', c: '1=2' }],
  ['__proto__=1&toString=2', JSON.parse('{"__proto__":"1","toString":"2"}')],
  ['', {}],
])('the query string %j is read', (text, query) => {
  expect(JSON.parse(JSON.stringify(queryString(text)))).toEqual(query)
})

test('a parameter that is a list may stand several times', () => {
  expect({ ...queryString('path=/a&b=1&path=%2Fb,/c&b=2', ['path']) }).toEqual({ path: '/a\n/b,/c', b: '2' })
})

test('names that every object has, such as `constructor`, are absent unless they were sent', () => {
  expect(queryString('a=1').constructor).toBeUndefined()
})

test.each(['a=%', 'a=%zz', 'a=%C3', '%E4=1'])('the bad percent-encoding of %j is refused', text => {
  expect(() => queryString(text)).toThrow(expect.objectContaining({ code: 'MISSING_FIELDS' }))
})
