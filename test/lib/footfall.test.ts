import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { App, Stage } from 'aws-cdk-lib'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '#lib/config'
import { type Architecture, addonFolder } from '#lib/duckdb-addon'
import { Footfall } from '#lib/footfall'
import { WITH_DUCKDB } from '#lib/shared-addon'
import { PACKED_ARCHITECTURE, packedPackage } from '#test/support/packed-package'
import { writeBundles } from './synthesized.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** A folder that is deleted when the test ends. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-construct-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function functionsIn(folder: string, architecture: Architecture = 'arm64'): string {
  mkdirSync(join(folder, architecture), { recursive: true })
  writeBundles(join(folder, architecture))
  return folder
}

test('the service stands in a Stage of another app, with typed options and beside other services', () => {
  const folder = newFolder()
  const functionsFolder = functionsIn(folder)
  const app = new App({ outdir: join(folder, 'out'), builtinCloudFormationValidation: false })
  const stage = new Stage(app, 'Production', { env: { account: '123456789012', region: 'eu-west-1' } })
  const one = new Footfall(stage, 'Analytics', { functionsFolder, stackName: 'Analytics', shards: 2 })
  const other = new Footfall(stage, 'Other', { functionsFolder, stackName: 'Other', edge: false })
  expect(one.baseUrl).not.toBe(other.baseUrl)
  expect([one.account, one.region]).toEqual(['123456789012', 'eu-west-1'])
  const assembly = app.synth().getNestedAssembly('assembly-Production')
  expect(assembly.stacks.map(({ stackName }) => stackName).toSorted()).toEqual(['Analytics', 'Other'])
  expect(JSON.stringify(assembly.getStackByName('Analytics').template)).toContain('"ShardCount":2')
})

test('a wrong option names itself, and functions for another processor say how to build them', () => {
  const folder = newFolder()
  const functionsFolder = functionsIn(folder)
  const app = new App({ outdir: join(folder, 'out') })
  expect(() => new Footfall(app, 'A', { functionsFolder, shards: 0 })).toThrow(ConfigError)
  expect(() => new Footfall(app, 'B', { functionsFolder, architecture: 'x86_64' })).toThrow(
    /FOOTFALL_ARCHITECTURE=x86_64 npm pack/,
  )
})

test('the packed package has all that an app needs, except the CDK', { timeout: 600_000 }, async () => {
  const app = newFolder()
  const installed = join(app, 'node_modules/footfall')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', await packedPackage(), '-C', installed, '--strip-components', '1'])
  for (const name of ['aws-cdk-lib', 'constructs'])
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  writeFileSync(
    join(app, 'app.mjs'),
    `import { App } from 'aws-cdk-lib'
import { Footfall } from 'footfall/cdk'
const app = new App({ outdir: 'out', builtinCloudFormationValidation: false })
new Footfall(app, 'Footfall', { architecture: '${PACKED_ARCHITECTURE}', alarmEmail: 'ops@example.com' })
app.synth()
`,
  )
  // The second synthesis finds the links of the first.
  for (let run = 1; run <= 2; run++)
    execFileSync(process.execPath, ['app.mjs'], { cwd: app, stdio: ['ignore', 'ignore', 'inherit'] })
  const template = readFileSync(join(app, 'out/Footfall.template.json'), 'utf8')
  expect(template).toContain('AWS::Kinesis::Stream')
  const libraries = globSync('out/asset.*/node_modules/@duckdb/*/libduckdb.so', { cwd: app })
  expect(libraries.map(path => path.split('/').slice(2))).toEqual(
    WITH_DUCKDB.map(() => addonFolder('', PACKED_ARCHITECTURE).split('/').concat('libduckdb.so')),
  )
  const types = readFileSync(join(installed, 'build/cdk/cdk.d.ts'), 'utf8')
  expect(types).toContain('readonly alarmEmail?:')
})
