'use strict'
// Runs before `npm start`, `npm test` and `npm run check`. Installs the packages, including Node 24, when node_modules differs from
// package-lock.json. It runs on the machine's own Node, so it is plain JavaScript without dependencies.

const fs = require('node:fs')
const path = require('node:path')
const childProcess = require('node:child_process')

const root = path.join(__dirname, '..')
// npm must not run on the Node inside node_modules, because npm replaces that folder.
const systemNode = process.env.npm_node_execpath || process.execPath
const npm = process.env.npm_execpath

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'))
  } catch (_error) {
    return null
  }
}

/** Returns the first package that differs from the lock file, or null. An optional package may be for another platform. */
function firstMissing() {
  const lockFile = readJson('package-lock.json')
  const installed = readJson('node_modules/.package-lock.json')
  if (lockFile === null)
    throw new Error('package-lock.json is missing or cannot be read. Restore it from git.')
  if (installed === null) return 'all packages'
  return (
    Object.keys(lockFile.packages).find(name => {
      if (name === '') return false
      const installedPackage = installed.packages[name]
      if (installedPackage === undefined) return !lockFile.packages[name].optional
      return installedPackage.version !== lockFile.packages[name].version
    }) || null
  )
}

/** Returns the version of the Node in node_modules, such as v24.21.0, or null. */
function pinnedNodeVersion() {
  const result = childProcess.spawnSync(path.join(root, 'node_modules/.bin/node'), ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return result.status === 0 ? result.stdout.trim() : null
}

function install() {
  // NODE_ENV must not change this: the tests need the development packages, and the binaries are optional packages.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const command = npm ? systemNode : 'npm'
  const result = childProcess.spawnSync(command, npm ? [npm].concat(args) : args, {
    cwd: root,
    stdio: 'inherit',
    shell: !npm && process.platform === 'win32',
  })
  if (result.error) return result.error.message
  return result.status === 0 ? null : `npm ci ended with status ${result.status}.`
}

function fail(message) {
  console.error(`\nFootfall could not install its packages. ${message}`)
  console.error(
    `It needs the npm registry (see npm config get registry), and it must be able to write to ${root}.`,
  )
  process.exit(1)
}

try {
  if (firstMissing() !== null || pinnedNodeVersion() === null) {
    const startedAt = Date.now()
    console.log(
      'Footfall installs its packages and Node 24 from the npm registry. This takes a minute at most.',
    )
    const failure = install()
    if (failure !== null) fail(failure)
    if (pinnedNodeVersion() === null) {
      fail(
        'node_modules/.bin/node does not run. If npm ignores install scripts, run npm ci --ignore-scripts=false.',
      )
    }
    console.log(`Footfall has installed its packages in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
  }
} catch (error) {
  fail(error.message)
}
