import { expect, test } from 'vitest'
import { demoPage } from '#local/demo/site'

const SETTINGS = {
  baseUrl: 'http://localhost:8787',
  project: 'demo',
  token: 'aat_1',
  apiKeyFile: '.footfall/api-key',
}
const PAGES = ['/demo/', '/demo/guide', '/demo/pricing', '/demo/join']

test.each(PAGES)(
  '%s carries the tracker with the project’s token, and shows how to read one’s own events',
  path => {
    const page = demoPage(path, SETTINGS)
    expect(page).toMatchObject({ status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    expect(page!.body).toContain(
      '<script defer src="/tracker.js" data-project="demo" data-token="aat_1" data-localhost="true">',
    )
    expect(page!.body).toContain('"http://localhost:8787/events?project=demo&amp;since=0d')
    expect(page!.body).not.toContain('{{')
  },
)

test('every link of a page leads to a page or file that exists, and every file comes from this service', () => {
  const servedElsewhere = ['/tracker.js', '/tracker.src.js', '/openapi.json', '#main']
  for (const path of PAGES) {
    for (const [, target] of demoPage(path, SETTINGS)!.body.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (servedElsewhere.includes(target!)) continue
      expect(demoPage(target!.split('?')[0]!, SETTINGS), `${path} → ${target}`).toMatchObject({ status: 200 })
    }
  }
  for (const file of ['style.css', 'demo.js']) {
    expect(demoPage(`/demo/${file}`, SETTINGS)!.body).not.toMatch(/https?:\/\/|@import|url\(/)
  }
})

test('the address without the last slash redirects to the site', () => {
  expect(demoPage('/demo', SETTINGS)).toMatchObject({ status: 308, headers: { Location: '/demo/' } })
})

test.each([
  '/',
  '/demonstration',
  '/demo/index',
  '/demo/layout.html',
  '/demo/../tracker.ts',
  '/demo/constructor',
])('%s is not a page of the site', path => {
  expect(demoPage(path, SETTINGS)).toBeNull()
})

test('values are escaped for HTML, and a file name with a space is one word for the shell', () => {
  const settings = { ...SETTINGS, project: 'a"b<c&d', apiKeyFile: "/my data/it's.key" }
  const { body } = demoPage('/demo/', settings)!
  expect(body).toContain('data-project="a&quot;b&lt;c&amp;d"')
  expect(body).toContain('project=a%22b%3Cc%26d')
  expect(body).toContain("'/my data/it'\\''s.key'")
})
