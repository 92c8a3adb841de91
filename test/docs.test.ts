import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { logCodes } from '#schemas/log'

const root = resolve(import.meta.dirname, '..')
const text = (path: string) => readFileSync(resolve(root, path), 'utf8')
const manifest: {
  scripts: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
} = JSON.parse(text('package.json'))

test('every command that the README names exists', () => {
  const named = [...text('README.md').matchAll(/\bnpm (?:run )?((?<=run )[a-z][a-z:-]*|start|test)\b/g)]
  expect(named.length).toBeGreaterThan(9)
  for (const [, script] of named) expect(Object.keys(manifest.scripts)).toContain(script)
})

test('every folder and file that the README names exists', () => {
  const named = [
    ...text('README.md').matchAll(
      /[`(]((?:schemas|core|duckdb|lambdas|local|aws|lib|bin|tracker|test|bench|rehearsal|cost|docs)\/[\w./-]*)/g,
    ),
  ]
  expect(named.length).toBeGreaterThan(8)
  for (const [, path] of named) expect(existsSync(resolve(root, path as string)), path).toBe(true)
})

test('the list of dependencies is complete, and has none that is gone', () => {
  const listed = [...text('docs/dependencies.md').matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, names]) =>
    [...(names as string).matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  expect(listed.toSorted()).toEqual(installed.toSorted())
})

test('operations.md says what to do about every log code', () => {
  const operations = text('docs/operations.md')
  for (const code of Object.keys(logCodes)) expect(operations).toContain(`\`${code}\``)
})
