import { expect, test } from 'vitest'
import { demoPage } from '#local/demo/demo-page'

const SETTINGS = {
  baseUrl: 'http://localhost:8787',
  project: 'demo',
  token: 'aat_1',
  credentialsFile: '.footfall/credentials.json',
}
const PAGES = ['/demo/', '/demo/guide', '/demo/pricing', '/demo/join']

test.each(PAGES)(
  '%s carries the tracker with the project’s token, and says how to read one’s visit',
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

test('every link and file of a page leads to a page or file that is there, and nothing comes from elsewhere', () => {
  const served = ['/tracker.js', '/tracker.src.js', '/openapi.json', '#main']
  for (const path of PAGES) {
    for (const [, target] of demoPage(path, SETTINGS)!.body.matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (served.includes(target!)) continue
      expect(demoPage(target!.split('?')[0]!, SETTINGS), `${path} → ${target}`).toMatchObject({ status: 200 })
    }
  }
  for (const file of ['style.css', 'demo.js']) {
    expect(demoPage(`/demo/${file}`, SETTINGS)!.body).not.toMatch(/https?:\/\/|@import|url\(/)
  }
})

test('the address without the last slash leads to the site', () => {
  expect(demoPage('/demo', SETTINGS)).toMatchObject({ status: 308, headers: { Location: '/demo/' } })
})

test.each([
  '/',
  '/demonstration',
  '/demo/index',
  '/demo/layout.html',
  '/demo/../tracker.ts',
  '/demo/constructor',
])('%s is no page of the site', path => {
  expect(demoPage(path, SETTINGS)).toBeNull()
})

test('values are put in as text, and a file name with a space is one word of the shell', () => {
  const odd = { ...SETTINGS, project: 'a"b<c&d', credentialsFile: "/my data/it's.json" }
  const { body } = demoPage('/demo/', odd)!
  expect(body).toContain('data-project="a&quot;b&lt;c&amp;d"')
  expect(body).toContain('project=a%22b%3Cc%26d')
  expect(body).toContain("'/my data/it'\\''s.json'")
})
