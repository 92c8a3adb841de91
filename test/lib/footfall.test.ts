import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { App, Stage } from 'aws-cdk-lib'
import { expect, onTestFinished, test } from 'vitest'
import { buildPackage } from '#lib/build-package'
import { ConfigError } from '#lib/config'
import { type Architecture, addonPackage } from '#lib/duckdb-addon'
import { Footfall } from '#lib/footfall'
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
    /--architecture x86_64/,
  )
})

test('the packed package has all that an app needs, except the CDK', { timeout: 600_000 }, async () => {
  const folder = newFolder()
  const architecture: Architecture = process.arch === 'x64' ? 'x86_64' : 'arm64'
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const built = await buildPackage(manifest, { folder: join(folder, 'package'), architecture })
  const app = join(folder, 'app')
  const installed = join(app, 'node_modules/footfall')
  mkdirSync(join(app, 'node_modules'), { recursive: true })
  // npm packs exactly these, also folders of the name node_modules inside of them.
  const { files } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
  for (const file of ['package.json', ...files])
    cpSync(join(built, file), join(installed, file), { recursive: true })
  const addon = `functions/${architecture}/jobs/node_modules/${addonPackage(architecture)}/libduckdb.so`
  expect(existsSync(join(installed, addon))).toBe(true)
  for (const name of ['aws-cdk-lib', 'constructs'])
    symlinkSync(join(ROOT, 'node_modules', name), join(app, 'node_modules', name))
  writeFileSync(
    join(app, 'app.mjs'),
    `import { App } from 'aws-cdk-lib'
import { Footfall } from 'footfall/cdk'
const app = new App({ outdir: 'out', builtinCloudFormationValidation: false })
new Footfall(app, 'Footfall', { architecture: '${architecture}', alarmEmail: 'ops@example.com' })
app.synth()
`,
  )
  execFileSync(process.execPath, ['app.mjs'], { cwd: app, stdio: ['ignore', 'ignore', 'inherit'] })
  const template = readFileSync(join(app, 'out/Footfall.template.json'), 'utf8')
  expect(template).toContain('AWS::Kinesis::Stream')
  const types = readFileSync(join(installed, 'cdk.d.ts'), 'utf8')
  expect(types).toContain('readonly alarmEmail?:')
})
