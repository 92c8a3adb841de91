import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { badArrows } from './support/arrows.ts'

const ROOT = new URL('..', import.meta.url).pathname
const ROOMS = 'schemas,core,duckdb,local,lambdas,aws,lib,bin,cost,tracker,cli,dashboard'

test('every import goes the way that the design allows', () => {
  const paths = globSync(`{${ROOMS}}/**/*.ts`, { cwd: ROOT })
  expect(paths.length).toBeGreaterThan(40)
  const files = paths.map(path => ({ path, text: readFileSync(ROOT + path, 'utf8') }))
  expect(badArrows(files)).toEqual([])
})

describe('the check refuses', () => {
  test.each([
    ['schemas that see the rules', 'schemas/a.ts', "import { x } from '#core/ports'"],
    ['rules that see a machine', 'core/lake/a.ts', "import { x } from '../../local/stream.ts'"],
    ['rules that see an engine', 'core/lake/a.ts', "import type { x } from '#duckdb/merger'"],
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
    ['AWS that sees one machine', 'aws/a.ts', "import { x } from '#local/stream'"],
    ['a tracker that sees the rules', 'tracker/a.ts', "import { x } from '../core/ports.ts'"],
    ['a client that sees the rules', 'cli/a.ts', "import { x } from '#core/ports'"],
    ['a stack that sees the rules', 'lib/a.ts', "import { x } from '#core/ports'"],
    ['a folder that nobody has a rule for', 'utils/a.ts', ''],
  ])('%s', (_, path, text) => {
    expect(badArrows([{ path, text }])).toHaveLength(1)
  })
})

test('the check allows a binding to AWS, the type of the table’s client, and words that stand in comments', () => {
  const binding = { path: 'lambdas/track/index.ts', text: "import { services } from '#aws/services'" }
  const comment = { path: 'core/a.ts', text: '// never process.env here\n/* nor Date.now() */' }
  const typed = {
    path: 'core/b.ts',
    text: "import type {\n  DynamoDBDocument,\n} from '@aws-sdk/lib-dynamodb'",
  }
  expect(badArrows([binding, comment, typed])).toEqual([])
})
