import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addonFolder } from '#lib/duckdb-addon'
import { DUCKDB_FUNCTIONS } from '#lib/function-sizes'
import { PACKED_ARCHITECTURE, packedPackage } from '#test/support/packed-package'

const ROOT = resolve(import.meta.dirname, '../..')

/** The app of docs/aws.md. */
function exampleApp(): string {
  const page = readFileSync(join(ROOT, 'docs/aws.md'), 'utf8')
  const [code] = /^ {4}import [^\n]*aws-cdk-lib[\s\S]*?app\.synth\(\)$/m.exec(page) ?? []
  return code?.replaceAll(/^ {4}/gm, '') ?? expect.unreachable()
}

test('the app of the documentation runs with the packed package, which has all that it needs except the CDK', async () => {
  const app = mkdtempSync(join(tmpdir(), 'footfall-app-'))
  onTestFinished(() => rmSync(app, { recursive: true, force: true }))
  const installed = join(app, 'node_modules/footfall')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', await packedPackage(), '-C', installed, '--strip-components', '1'])
  for (const name of ['aws-cdk-lib', 'constructs'])
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  writeFileSync(
    join(app, 'app.mjs'),
    exampleApp().replace('stackName:', `architecture: '${PACKED_ARCHITECTURE}', stackName:`),
  )
  // The second synthesis finds the links of the first.
  for (let run = 1; run <= 2; run++)
    execFileSync(process.execPath, ['app.mjs'], {
      cwd: app,
      env: { ...process.env, CDK_OUTDIR: 'out' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const stage = join(app, 'out/assembly-Production')
  const templates = globSync('*.template.json', { cwd: stage })
  expect(templates).toHaveLength(1)
  const { Resources, Outputs } = JSON.parse(readFileSync(join(stage, templates[0] ?? ''), 'utf8'))
  expect(JSON.stringify(Resources)).toContain('AWS::Kinesis::Stream')
  expect(Object.keys(Outputs)).toEqual(expect.arrayContaining(['BaseUrl', 'Script']))
  const libraries = globSync('out/asset.*/node_modules/@duckdb/*/libduckdb.so', { cwd: app })
  expect(libraries.map(path => path.split('/').slice(2))).toEqual(
    DUCKDB_FUNCTIONS.map(() => addonFolder('', PACKED_ARCHITECTURE).split('/').concat('libduckdb.so')),
  )
  const types = readFileSync(join(installed, 'build/cdk/cdk.d.ts'), 'utf8')
  expect(types).toContain('readonly alarmEmail?:')
})
