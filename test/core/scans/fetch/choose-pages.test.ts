import { expect, test } from 'vitest'
import { choosePages } from '#core/scans/fetch/choose-pages'
import { linksOf } from '#core/scans/fetch/links'
import { parseSitemap } from '#core/scans/fetch/sitemap'

const FIRST = new URL('https://www.shop.example/')
const choose = (candidates: string[], limit = 25) => choosePages(FIRST, candidates, limit)

test('pages of the site are chosen in their order, each once', () => {
  expect(
    choose(['/pricing', 'http://shop.example/pricing/', '/pricing#plans', 'https://shop.example/about', '/']),
  ).toEqual(['https://www.shop.example/pricing', 'https://shop.example/about'])
})

test.each([
  'https://other.example/',
  'https://blog.shop.example/',
  'https://www.shop.example:8443/a',
  'mailto:a@shop.example',
  'javascript:alert(1)',
  '/manual.pdf',
  '/feed.xml',
  '/logout',
  '/cart?add-to-cart=7',
  '/unsubscribe?id=7',
])('%s is not chosen', address => {
  expect(choose([address])).toEqual([])
})

test('an endless calendar and a large shop take a few pages, and the limit holds', () => {
  const calendar = Array.from({ length: 500 }, (_, i) => `/calendar?month=${i}`)
  const days = Array.from({ length: 500 }, (_, i) => `/events/2026/${i}/day`)
  const products = Array.from({ length: 500 }, (_, i) => `/products/red-${i}-shoes`)
  expect(choose([...calendar, ...days, ...products, '/pricing']).map(url => new URL(url).pathname)).toEqual([
    '/calendar',
    '/calendar',
    '/events/2026/0/day',
    '/events/2026/1/day',
    '/products/red-0-shoes',
    '/products/red-1-shoes',
    '/pricing',
  ])
  expect(
    choose(
      Array.from({ length: 100 }, (_, i) => `/p${'x'.repeat(i)}`),
      25,
    ),
  ).toHaveLength(25)
})

test('pages below a language are chosen as those without one', () => {
  const pages = ['/en/pricing', '/en/about', '/en/contact', '/de-AT/preise']
  expect(choose(pages)).toHaveLength(4)
})

test('links are found in every form, relative to the base of the page', () => {
  const html = `<base href="https://a.example/dir/"><a href="one">1</a><A CLASS=x HREF='/two?a=1&amp;b=2'>2</A>
    <a href=three>3</a><a name=x>4</a><a href="#top">5</a><a href="one">6</a><a data-href="/no">7</a><link href="/css">`
  expect(linksOf(html, 'https://b.example/')).toEqual([
    'https://a.example/dir/one',
    'https://a.example/two?a=1&b=2',
    'https://a.example/dir/three',
  ])
})

test('a page of 5 MB of unfinished links is read in time, and links are bounded', () => {
  expect(linksOf('<a '.repeat(1_700_000), FIRST.href)).toEqual([])
  expect(
    linksOf(Array.from({ length: 5_000 }, (_, i) => `<a href=/${i}>`).join(''), FIRST.href),
  ).toHaveLength(1_000)
})

test('a sitemap and an index of sitemaps are read', () => {
  expect(
    parseSitemap(
      '<urlset><url><loc> https://a.example/?a=1&amp;b=2 </loc></url><url><loc><![CDATA[https://a.example/b]]></loc></url></urlset>',
    ),
  ).toEqual({ pages: ['https://a.example/?a=1&b=2', 'https://a.example/b'], sitemaps: [] })
  expect(
    parseSitemap(
      '<sitemapindex xmlns="x"><sitemap><loc>https://a.example/1.xml</loc></sitemap></sitemapindex>',
    ),
  ).toEqual({ pages: [], sitemaps: ['https://a.example/1.xml'] })
  expect(parseSitemap('<h1>Not found</h1>')).toEqual({ pages: [], sitemaps: [] })
  expect(parseSitemap('<loc>https://a.example/x</loc>'.repeat(10_000)).pages).toHaveLength(2_000)
})
