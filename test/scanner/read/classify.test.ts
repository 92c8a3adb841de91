import { expect, test } from 'vitest'
import { readSite } from '#scanner/read/read-site'

const page = (path: string, body: string, title = 'A site') => ({
  ...{
    url: `https://x.test${path}`,
    finalUrl: `https://x.test${path}`,
    status: 200,
    contentType: 'text/html',
  },
  ...{ html: `<html lang="en"><title>${title}</title><main>${body}</main></html>`, rendered: false },
})
const classOf = (...pages: ReturnType<typeof page>[]) => readSite(pages).classification

const enquiry =
  '<form action="/send" method="post"><input name="n"><input type="tel" name="t"><select name="s"></select></form>'

test('a form of three fields says no more on eight pages than on one', () => {
  const paths = ['/', '/a', '/b', '/c', '/d', '/e', '/f', '/g']
  expect(classOf(...paths.map(path => page(path, enquiry))).site_class).not.toBe('app')
})

test('one phrase does not make a marketplace', () => {
  expect(classOf(page('/', '<a href="/x">Make an offer</a>')).site_class).toBe('unknown')
})

test.each([
  ['jobs', '<script type="application/ld+json">{"@type":"JobPosting","title":"x"}</script>'],
  ['event', '<script type="application/ld+json">{"@type":"MusicEvent","name":"x"}</script>'],
  ['podcast', '<script type="application/ld+json">{"@type":"PodcastSeries","name":"x"}</script>'],
  ['nonprofit', '<script type="application/ld+json">{"@type":"NGO","name":"x"}</script>'],
  ['public_service', '<script type="application/ld+json">{"@type":"CityHall","name":"x"}</script>'],
  [
    'app_store_page',
    '<a href="https://apps.apple.com/app/id1">A</a><a href="https://play.google.com/store/apps/details?id=a">B</a>',
  ],
  ['api', '<pre>curl https://api.x.test/v1</pre>'],
  ['app', '<input type="range"><input type="file"><output></output>'],
])('structure alone names the class %s', (site_class, body) => {
  expect(classOf(page('/', body)).site_class).toBe(site_class)
})
