import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { addonFolder } from '#lib/duckdb-addon'
import { WITH_DUCKDB } from '#lib/shared-addon'
import { PACKED_ARCHITECTURE, packedPackage } from '#test/support/packed-package'

const ROOT = resolve(import.meta.dirname, '../..')

test('the packed package has all that an app needs, except the CDK', async () => {
  const app = mkdtempSync(join(tmpdir(), 'footfall-app-'))
  onTestFinished(() => rmSync(app, { recursive: true, force: true }))
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
