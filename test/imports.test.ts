import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { forbiddenImports, sourcesBelow } from './support/import-rules.ts'

const ROOT = resolve(import.meta.dirname, '..')

test('every import goes the way that the design allows', () => {
  const sources = sourcesBelow(ROOT)
  expect(sources.length).toBeGreaterThan(400)
  expect(forbiddenImports(sources)).toEqual([])
})

test('a new folder is looked at, and refused until it has a rule; what is installed or built is not looked at', () => {
  const root = mkdtempSync(join(tmpdir(), 'footfall-'))
  try {
    for (const path of [
      'new/deep/a.ts',
      'core/a.ts',
      'b.mts',
      'node_modules/c/c.ts',
      'build/d.ts',
      'cdk.out/e.ts',
    ]) {
      mkdirSync(join(root, dirname(path)), { recursive: true })
      writeFileSync(join(root, path), '')
    }
    const found = forbiddenImports(sourcesBelow(root)).toSorted()
    expect(found).toEqual(['b.mts: no rule for the folder', 'new/deep/a.ts: no rule for the folder'])
  } finally {
    rmSync(root, { recursive: true })
  }
})

describe('the check refuses', () => {
  test.each([
    ['schemas that see the rules', 'schemas/a.ts', "import { x } from '#core/ports'"],
    ['rules that see a machine', 'core/a.ts', "import { x } from '#local/stream/stream'"],
    ['rules that see an engine', 'core/lake/a.ts', "import type { x } from '#duckdb/compactor'"],
    ['rules that load an SDK', 'core/a.ts', "import { S3 } from '@aws-sdk/client-s3'"],
    ['rules that speak HTTP', 'core/a.ts', "import { request } from 'node:http'"],
    ['rules that load an SDK only when they need it', 'core/a.ts', "await import('@aws-sdk/client-s3')"],
    [
      'rules that load the client of the table',
      'core/a.ts',
      "import { PutCommand } from '@aws-sdk/lib-dynamodb'",
    ],
    ['rules that read the environment', 'core/a.ts', 'const port = process.env.PORT'],
    ['rules that ask the machine for the time', 'core/a.ts', 'const now = Date.now()'],
    ['a type that is named in place', 'core/a.ts', "type X = import('#local/settings').Settings"],
    ['a re-export', 'core/a.ts', "export { x } from '#lambdas/http'"],
    ['an import for its effect', 'core/a.ts', "import '#local/settings'"],
    [
      'one machine that loads the AWS wiring',
      'local/main.ts',
      "import { handler } from '#lambdas/track/index'",
    ],
    ['one machine that loads the AWS adapters', 'local/main.ts', "import { x } from '#aws/services'"],
    ['a handler that sees AWS', 'lambdas/track/handler.ts', "import { x } from '#aws/services'"],
    ['AWS that sees one machine', 'aws/a.ts', "import { x } from '#local/stream/stream'"],
    ['a tracker that sees the rules', 'tracker/a.ts', "import { x } from '../core/ports.ts'"],
    ['a client that sees the rules', 'cli/a.ts', "import { x } from '#core/ports'"],
    ['a rehearsal that sees one machine', 'rehearsal/a.ts', "import { x } from '#local/stream/stream'"],
    ['a benchmark that sees AWS', 'bench/a.ts', "import { x } from '#aws/services'"],
    ['a stack that sees the rules', 'lib/a.ts', "import { x } from '#core/ports'"],
    ['a folder that nobody has a rule for', 'utils/a.ts', ''],
  ])('%s', (_, path, text) => {
    expect(forbiddenImports([{ path, text }])).toHaveLength(1)
  })
})

test('the check allows a binding to AWS, the type of the table’s client, and words that stand in comments', () => {
  const binding = { path: 'lambdas/track/index.ts', text: "import { services } from '#aws/services'" }
  const comment = { path: 'core/a.ts', text: '// never process.env here\n/* nor Date.now() */' }
  const typed = {
    path: 'core/b.ts',
    text: "import type {\n  DynamoDBDocument,\n} from '@aws-sdk/lib-dynamodb'",
  }
  expect(forbiddenImports([binding, comment, typed])).toEqual([])
})
