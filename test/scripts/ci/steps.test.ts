import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { faultsOfSteps } from '#scripts/ci/steps'

const { scripts } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8'))

test('each script of package.json is a step of .ci/run, or has a reason why it is none', () => {
  expect(faultsOfSteps(scripts)).toEqual([])
})

test('a script that nobody named is reported, and a step whose script is gone', () => {
  const { 'test:faults': gone, ...others } = scripts
  expect(gone).toBeDefined()
  expect(faultsOfSteps({ ...others, 'test:new': 'vitest', 'pretest:new': 'install' })).toEqual([
    'scripts/ci/steps.ts names the script "test:faults", which package.json has not.',
    'The script "test:new" is no step of .ci/run. Name it in scripts/ci/steps.ts.',
  ])
})
