import { describe, expect, test } from 'vitest'
import type { Action } from '#scanner/read/findings'
import { readPage } from '#scanner/read/read-page'

function actionsOf(data: unknown, body: string, path = '/'): Action[] {
  return readPage({
    url: `https://s.test${path}`,
    finalUrl: `https://s.test${path}`,
    status: 200,
    contentType: 'text/html',
    html: `<!doctype html><html lang="eo"><head><script type="application/ld+json">${JSON.stringify(data)}</script></head><body>${body}</body></html>`,
    rendered: false,
  }).actions
}

const restaurant = (target: unknown, type = 'ReserveAction') => ({
  '@type': 'Restaurant',
  potentialAction: { '@type': type, target },
})

describe('an action that the page declares', () => {
  test.each([
    ['an address', 'https://s.test/tablo'],
    ['a path', '/tablo'],
    ['an entry point', { '@type': 'EntryPoint', urlTemplate: 'https://s.test/tablo?n={n}' }],
    ['one of several targets', ['mailto:a@s.test', { url: 'https://s.test/tablo' }]],
  ])('names the link to its target, given as %s, whatever its words are', (_, target) => {
    expect(actionsOf(restaurant(target), '<a href="/tablo">Venu ni</a>')).toMatchObject([
      { intent: 'book', certainty: 1, words: 'Venu ni' },
    ])
  })

  test('names a link to a service that no table has', () => {
    const link = '<a href="https://sidlokoj.test/s?x=1">Venu ni</a>'
    expect(actionsOf(restaurant('https://sidlokoj.test/s', 'OrderAction'), link)).toMatchObject([
      { intent: 'buy', isExternal: true },
    ])
  })

  test('names the form that sends its data to the address of the action', () => {
    const site = {
      '@type': 'WebSite',
      potentialAction: { '@type': 'SearchAction', target: 'https://s.test/trovu?k={k}' },
    }
    const form = '<form action="/trovu"><input name="k"><input name="loko"><button>Ek</button></form>'
    expect(actionsOf(site, form)).toMatchObject([{ intent: 'search', kind: 'form' }])
  })

  test.each([
    ['the first page', '/', '/menuo'],
    ['the page itself', '/tablo', '/tablo'],
  ])('says nothing if it leads to %s', (_, target, path) => {
    expect(actionsOf(restaurant(target), `<a href="${target}">Venu ni</a>`, path)).toEqual([])
  })

  test('of an unknown type, or with a target that is no address, says nothing', () => {
    const link = '<a href="/tablo">Venu ni</a>'
    expect(actionsOf(restaurant('/tablo', 'DriveAction'), link)).toEqual([])
    expect(actionsOf(restaurant([{ urlTemplate: 7 }, null, 'javascript:x', '']), link)).toEqual([])
  })

  test('has a bound of targets, so the eleventh is not read', () => {
    const targets = Array.from({ length: 10 }, (_, i) => `/t${i}`)
    expect(actionsOf(restaurant([...targets, '/tablo']), '<a href="/tablo">Venu ni</a>')).toEqual([])
  })
})
