import { expect, test } from 'vitest'
import { choosePages } from '#scanner/fetch/choose-pages'
import { linksOf } from '#scanner/fetch/links'
import { MAX_SITEMAP_BYTES, parseSitemap } from '#scanner/fetch/sitemap'

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

test('5 MB of unfinished links have no link, and a page has at most 1,000 links', () => {
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

test('an address of a sitemap may have blanks, CDATA and square brackets around and in it', () => {
  const locations = [
    '<LOC>\n <![CDATA[ https://a.example/?b=1&amp;c=2 ]]> </LOC>',
    '<loc>https://a.example/?d[]=1</loc>',
    '<loc></loc><loc> <![CDATA[]]></loc>',
    `<loc>https://a.example/${'x'.repeat(2_048)}</loc>`,
    '<loc>https://a.example/e</loc>',
    '<loc><![CDATA[https://a.example/cut',
  ]
  expect(parseSitemap(locations.join('')).pages).toEqual([
    'https://a.example/?b=1&c=2',
    'https://a.example/?d[]=1',
    'https://a.example/e',
  ])
  expect(parseSitemap('<loc>https://a.example/f</loc><loc>https://a.example/cut').pages).toHaveLength(1)
})

// With a step for each pair of blanks or slashes these take longer than a test may take.
test.each([
  ['blanks', `<loc>${' '.repeat(MAX_SITEMAP_BYTES)}`],
  ['blanks before another element', `<loc>${' '.repeat(MAX_SITEMAP_BYTES)}<x>`],
  ['blanks in CDATA', `<loc><![CDATA[${' '.repeat(MAX_SITEMAP_BYTES)}<x>`],
  ['elements', '<loc>'.repeat(MAX_SITEMAP_BYTES / 5)],
  ['CDATA without an end', '<loc><![CDATA['.repeat(MAX_SITEMAP_BYTES / 14)],
])('a sitemap of the largest size that is full of %s is read in time', (_, xml) => {
  expect(parseSitemap(xml).pages).toEqual([])
})

test('an address full of slashes is compared in time', () => {
  const slashes = '/'.repeat(1_000_000)
  expect(choose([`/a${slashes}`, `/a/${slashes}`])).toHaveLength(1)
  expect(choose([`/a${slashes}b`])).toHaveLength(1)
})
