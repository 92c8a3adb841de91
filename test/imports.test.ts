import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sourcesBelow } from '#scripts/imports'
import { CORE_ORDER, forbiddenImports, importCircles } from './import-rules.ts'

const ROOT = resolve(import.meta.dirname, '..')

test('every import follows the rules of its folder', () => {
  const sources = sourcesBelow(ROOT)
  expect(sources.length).toBeGreaterThan(400)
  expect(forbiddenImports(sources)).toEqual([])
})

test('README.md shows the rooms of core in the order that the rule has', () => {
  const table =
    readFileSync(join(ROOT, 'README.md'), 'utf8').split('from the ground up |')[1]?.split('\n\n')[0] ?? ''
  const cells = table.split('\n').map(row => row.split('|')[1] ?? '')
  const shown = cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, room]) => room))
  expect(shown).toEqual(CORE_ORDER)
})

test('no files import each other in a circle', () => {
  expect(importCircles(sourcesBelow(ROOT))).toEqual([])
})

test('a circle is reported with its files, through types and longer ways, and without files that only lead to it', () => {
  const files = [
    { path: 'core/b.ts', text: "import type { C } from './deep/c.ts'" },
    { path: 'core/deep/c.ts', text: "import { a } from '#core/a'" },
    { path: 'core/a.ts', text: "import { b } from './b.ts'\nimport { x } from './x.ts'" },
    { path: 'core/x.ts', text: "import { z } from 'zod'" },
    { path: 'core/user.ts', text: "import { a } from './a.ts'" },
    { path: 'core/self.ts', text: "import { self } from './self.ts'" },
  ]
  expect(importCircles(files)).toEqual([['core/a.ts', 'core/b.ts', 'core/deep/c.ts'], ['core/self.ts']])
})

test('files in a folder without a rule are reported, and installed or built files are ignored', () => {
  const root = mkdtempSync(join(tmpdir(), 'footfall-'))
  try {
    for (const path of [
      'new/deep/a.ts',
      'core/text/a.ts',
      'b.mts',
      'node_modules/c/c.ts',
      'build/d.ts',
      'cdk.out/e.ts',
    ]) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    const reports = forbiddenImports(sourcesBelow(root)).toSorted()
    expect(reports).toEqual(['b.mts: no rule for the folder', 'new/deep/a.ts: no rule for the folder'])
  } finally {
    rmSync(root, { recursive: true })
  }
})

describe('the check reports', () => {
  test.each([
    ['schemas that import core', 'schemas/a.ts', "import { x } from '#core/ports'"],
    ['core that imports local', 'core/scans/a.ts', "import { x } from '#local/stream/stream'"],
    [
      'a room of core that imports one above it',
      'core/usage/a.ts',
      "import { x } from '#core/accounts/store'",
    ],
    [
      'a room of the lake that imports one above it',
      'core/lake/model/a.ts',
      "import type { x } from '#core/lake/read/relations'",
    ],
    ['a room of core without a place in the order', 'core/a-new-room/a.ts', ''],
    ['core that imports duckdb', 'core/lake/read/a.ts', "import type { x } from '#duckdb/compactor'"],
    ['core that imports an SDK', 'core/scans/a.ts', "import { S3 } from '@aws-sdk/client-s3'"],
    ['core that imports node:http', 'core/scans/a.ts', "import { request } from 'node:http'"],
    ['a dynamic import', 'core/scans/a.ts', "await import('@aws-sdk/client-s3')"],
    [
      'core that imports the client of the table as a value',
      'core/scans/a.ts',
      "import { PutCommand } from '@aws-sdk/lib-dynamodb'",
    ],
    ['core that reads the environment', 'core/scans/a.ts', 'const port = process.env.PORT'],
    ['core that reads the system clock', 'core/scans/a.ts', 'const now = Date.now()'],
    ['core that hands the system clock on', 'core/scans/a.ts', 'const clock = { now: Date.now }'],
    ['core that measures a time itself', 'core/scans/a.ts', 'const started = performance.now()'],
    ['core that waits by itself', 'core/scans/a.ts', 'setTimeout(run, 10)'],
    ['core that repeats by itself', 'core/scans/a.ts', 'const timer = globalThis.setInterval(run, 10)'],
    ['core that has a deadline of its own', 'core/scans/a.ts', 'const signal = AbortSignal.timeout(10)'],
    ['core that imports the timers', 'core/scans/a.ts', "import { scheduler } from 'node:timers/promises'"],
    ['a handler that reads the system clock', 'lambdas/a.ts', 'const now = Date.now()'],
    ['a handler that waits by itself', 'lambdas/a.ts', 'setTimeout(run, 10)'],
    ['an inline type import', 'core/scans/a.ts', "type X = import('#local/settings').Settings"],
    ['a re-export', 'core/scans/a.ts', "export { x } from '#lambdas/http/http'"],
    ['an import for its side effect', 'core/scans/a.ts', "import '#local/settings'"],
    [
      'local that imports the AWS entry of a function',
      'local/main.ts',
      "import { handler } from '#lambdas/track/index'",
    ],
    ['local that imports aws', 'local/main.ts', "import { x } from '#aws/services'"],
    ['a handler that imports aws', 'lambdas/track/handler.ts', "import { x } from '#aws/services'"],
    ['aws that imports local', 'aws/a.ts', "import { x } from '#local/stream/stream'"],
    ['tracker that imports core', 'tracker/a.ts', "import { x } from '#core/ports'"],
    ['cli that reads the environment', 'cli/a.ts', 'const home = process.env.HOME'],
    ['cli that imports the process', 'cli/a.ts', "import { env } from 'node:process'"],
    ['cli that calls the network itself', 'cli/a.ts', "await fetch('http://localhost')"],
    ['cli that waits by a clock of its own', 'cli/a.ts', "import { setTimeout } from 'node:timers/promises'"],
    ['cli that imports core', 'cli/a.ts', "import { x } from '#core/ports'"],
    ['rehearsal that imports local', 'rehearsal/a.ts', "import { x } from '#local/stream/stream'"],
    ['bench that imports aws', 'bench/a.ts', "import { x } from '#aws/services'"],
    ['lib that imports core', 'lib/a.ts', "import { x } from '#core/ports'"],
    // Written in two parts, because this file is checked as well.
    ['a way up to another folder', 'core/usage/a.ts', `import { x } from '${'..'}/ports.ts'`],
    ['a folder without a rule', 'utils/a.ts', ''],
  ])('%s', (_, path, text) => {
    expect(forbiddenImports([{ path, text }])).toHaveLength(1)
  })
})

test('the check allows aws in the entry of a function, the process in that of the command line, the type of the table’s client, and any words in comments', () => {
  const functionEntry = { path: 'lambdas/track/index.ts', text: "import { services } from '#aws/services'" }
  const cliEntry = { path: 'cli/entry.ts', text: "import { main } from './main.ts'\nprocess.exitCode = 1" }
  const comment = {
    path: 'core/scans/a.ts',
    text: '// never process.env here\n/* nor Date.now() or setTimeout() */',
  }
  const typeImport = {
    path: 'core/scans/b.ts',
    text: "import type {\n  DynamoDBDocument,\n} from '@aws-sdk/lib-dynamodb'",
  }
  expect(forbiddenImports([functionEntry, cliEntry, comment, typeImport])).toEqual([])
})
