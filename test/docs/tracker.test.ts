import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

const ROOT = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(ROOT, 'docs/tracker.md'), 'utf8')
const sources = globSync('tracker/*.ts', { cwd: ROOT }).map(path => readFileSync(resolve(ROOT, path), 'utf8'))
const code = sources.join('\n')

const found = (pattern: RegExp, text: string) =>
  [...new Set([...text.matchAll(pattern)].map(match => match[1]!))].toSorted()

test('docs/tracker.md has a row for every attribute of the script, and no other', () => {
  const names = [
    ...found(/\bisOn\('([\w-]+)'\)/g, code),
    ...found(/\bdataset\.(\w+)/g, code),
    ...found(/^ {2}([A-Z]\w+): watch\w+,$/gm, code).map(name => `track${name}`),
  ]
  const attributes = names.map(name => `data-${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)
  expect(attributes.length).toBeGreaterThan(15)
  expect(found(/^\| `(data-[\w-]+)` \|/gm, page)).toEqual([...new Set(attributes)].toSorted())
})

test('docs/tracker.md names every event and element attribute that the tracker knows', () => {
  const events = found(/['"](\$\w+|page_view|outgoing_link)['"]/g, code)
  expect(events.length).toBeGreaterThan(11)
  expect(events.filter(event => !page.includes(event))).toEqual([])
  for (const name of [
    'data-aa-event',
    'data-aa-impression',
    'data-aa-experiment',
    'data-aa-variant-',
    'aa-loading',
    '_aa',
  ])
    expect(page).toContain(name)
})

test('docs/tracker.md has a row for every method of window.aa', () => {
  const types = readFileSync(resolve(ROOT, 'tracker/npm/index.d.ts'), 'utf8').split('/** The attributes')[0]!
  const methods = found(/^ {2}(\w+)\(/gm, types)
  expect(methods).toHaveLength(11)
  expect(found(/^\| `(\w+)\(/gm, page)).toEqual(methods)
})

test('the npm package has an option for every attribute of the script', () => {
  const types = readFileSync(resolve(ROOT, 'tracker/npm/index.d.ts'), 'utf8').split('TrackerOptions =')[1]!
  const options = found(/^ {2}(\w+)\??:/gm, types.split('}')[0]!).filter(name => name !== 'src')
  const attributes = options.map(
    name => `data-${name.replace(/[A-Z]|404/g, part => `-${part.toLowerCase()}`)}`,
  )
  expect(attributes.toSorted()).toEqual(found(/^\| `(data-[\w-]+)` \|/gm, page))
})

test('docs/tracker.md names every value that the tracker stores, with its storage', () => {
  const stored = found(/\b(?:read|readJson|write|storedNumber|firstId)\('(\w+)'/g, code)
  const rows = [...page.matchAll(/^\| ((?:`\w+`(?:, )?)+) \| (local|session) \|/gm)]
  const documented = (storage: string) =>
    rows.filter(row => row[2] === storage).flatMap(row => found(/`(\w+)`/g, row[1]!))
  const tabValue = RegExp(/const TAB_VALUE = \/(.*)\/$/m.exec(code)![1]!)
  expect([...documented('local'), ...documented('session')].toSorted()).toEqual(stored)
  expect(documented('session').toSorted()).toEqual(stored.filter(name => tabValue.test(name)))
})

test('the proxies of docs/tracker.md forward every path that a page calls, of the tracker and of the recorder', () => {
  const called = Object.values<Route>(routes).filter(
    ({ path, tag, auth }) =>
      path !== '/tracker.src.js' && // For readers.
      path !== '/track/check' && // For people and agents.
      (tag === 'Tracking' || auth === 'project_token' || /^\/replay\/(config|start|\{id\})/.test(path)),
  )
  expect(called.length).toBeGreaterThan(10)
  const paths = called.map(({ path }) => path.replace(/\{\w+\}/g, 'x'))
  const nginx = new RegExp(/location ~ (\S+) \{/.exec(page)?.[1] ?? '$^')
  expect(paths.filter(path => !nginx.test(path))).toEqual([])
  const caddy = /@footfall path (.*)/.exec(page)?.[1]?.split(' ') ?? []
  const passes = (path: string) =>
    caddy.some(each => (each.endsWith('*') ? path.startsWith(each.slice(0, -1)) : path === each))
  expect(paths.filter(path => !passes(path))).toEqual([])
})
