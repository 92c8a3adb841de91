import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Which packages may run code while they are installed. */

type Lock = { packages: Record<string, { hasInstallScript?: true }> }

test('each package with an install script is allowed or denied by name, and npm refuses others', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const withScript = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  )
  expect([...new Set(withScript)].toSorted()).toEqual(Object.keys(allowScripts).toSorted())
  // Without it npm 11 runs them all, and warns at the end.
  expect(readFileSync('.npmrc', 'utf8')).toMatch(/^strict-allow-scripts=true$/m)
})
