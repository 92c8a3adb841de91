import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Stage } from 'aws-cdk-lib'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigError } from '#lib/config'
import type { Architecture } from '#lib/duckdb-addon'
import { Footfall } from '#lib/footfall'
import { writeBundles } from './synthesized.ts'

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
