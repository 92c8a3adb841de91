import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { sourcesBelow } from '#scripts/imports'
import { packagesReached } from '#test/import-rules'

/** Which packages `npm ci --omit=dev` installs: those of service/package.json. */

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => JSON.parse(readFileSync(resolve(root, path), 'utf8'))
const service: Record<string, string> = read('service/package.json').dependencies
const development: Record<string, string> = read('package.json').devDependencies

/**
 * What a server runs: the service with its threads and processes, copies, and the build of the command line.
 */
const ENTRIES = [
  ...[
    'local/main.ts',
    'local/backup/main.ts',
    'local/doctor/main.ts',
    'local/update/main.ts',
    'local/pull/main.ts',
    'cli/build.ts',
    'cli/entry.ts',
  ],
  ...globSync('local/**/{thread,process,*-thread}.ts', { cwd: root }),
  // The service builds what browsers load.
  ...globSync('{tracker/index,dashboard/app,dashboard/chat-view/main,replay/recorder/index}.{ts,tsx}', {
    cwd: root,
  }),
  ...globSync('replay/viewer/{page/main,stage/stage}.ts', { cwd: root }),
]

/** Packages that no import names, and who needs them. */
const WITHOUT_IMPORT = {
  node: 'the Node that runs the service',
  '@sparticuz/chromium': 'local/scans/find-chromium.ts unpacks its browser',
  '@ip-location-db/geo-whois-asn-country-mmdb': 'local/http/country-table.ts reads its files',
}

test('the packages of the service are exactly those that it loads', () => {
  const files = sourcesBelow(root)
  const missing = ENTRIES.filter(entry => !files.some(({ path }) => path === entry))
  expect(missing).toEqual([])
  expect(ENTRIES.length).toBeGreaterThan(12)
  const loaded = new Set([...packagesReached(files, ENTRIES), ...Object.keys(WITHOUT_IMPORT)])
  expect([...loaded].toSorted()).toEqual(Object.keys(service).toSorted())
})

test('a package is in one list, with an exact version, and the root has no `dependencies`', () => {
  expect(Object.keys(service).filter(name => name in development)).toEqual([])
  for (const [name, version] of Object.entries({ ...service, ...development }))
    expect(`${name} ${version}`).toMatch(/ \d+\.\d+\.\d+(-[\w.]+)?$/)
  // `npm install` of the packed package would bring them.
  expect(read('package.json').dependencies).toBeUndefined()
})

test('a package that only a type names is none, and one of an import at run time is', () => {
  const file = (path: string, text: string) => ({ path, text })
  const files = [
    file('local/a.ts', "import type { X } from 'only-type'\nimport { b } from './b.ts'\nimport '#core/c'"),
    file('local/b.ts', "const lazy = () => import('@scope/lazy/part')"),
    file('core/c.ts', "export { x } from 'exported'\nimport { y } from 'node:fs'"),
    file('core/other.ts', "import 'not-reached'"),
  ]
  expect(packagesReached(files, ['local/a.ts'])).toEqual(['@scope/lazy', 'exported'])
})
