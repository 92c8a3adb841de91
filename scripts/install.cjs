'use strict'
// Runs before `npm start` and `npm test`, under whatever Node the machine has: plain old JavaScript, no dependency.
// Installs the packages when node_modules does not hold what package-lock.json asks for, Node 24 itself among them.

const fs = require('node:fs')
const path = require('node:path')
const childProcess = require('node:child_process')

const root = path.join(__dirname, '..')
// npm itself must not run by the Node inside the folder that it is about to replace.
const systemNode = process.env.npm_node_execpath || process.execPath
const npm = process.env.npm_execpath

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'))
  } catch (_error) {
    return null
  }
}

/** The first package that is not as the lock file wants it, or null. Optional ones may be for another platform. */
function firstMissing() {
  const wanted = readJson('package-lock.json')
  const installed = readJson('node_modules/.package-lock.json')
  if (wanted === null) throw new Error('package-lock.json is missing or unreadable: is the checkout whole?')
  if (installed === null) return 'all packages'
  return (
    Object.keys(wanted.packages).find(name => {
      if (name === '') return false
      const there = installed.packages[name]
      if (there === undefined) return !wanted.packages[name].optional
      return there.version !== wanted.packages[name].version
    }) || null
  )
}

/** The version of the Node that npm has put into node_modules, e.g. v24.21.0, or null. */
function pinnedNode() {
  const result = childProcess.spawnSync(path.join(root, 'node_modules/.bin/node'), ['--version'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  return result.status === 0 ? result.stdout.trim() : null
}

function install() {
  // Whatever NODE_ENV says: the tests need the development packages, the binaries are optional ones.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const command = npm ? systemNode : 'npm'
  const result = childProcess.spawnSync(command, npm ? [npm].concat(args) : args, {
    cwd: root,
    stdio: 'inherit',
    shell: !npm && process.platform === 'win32',
  })
  if (result.error) return result.error.message
  return result.status === 0 ? null : `npm ci ended with status ${result.status}`
}

function fail(message) {
  console.error(`\nFootfall could not install its packages: ${message}`)
  console.error(`It needs the npm registry (npm config get registry) and a writable folder: ${root}`)
  process.exit(1)
}

try {
  if (firstMissing() !== null || pinnedNode() === null) {
    const started = Date.now()
    console.log(
      'Footfall: installing packages from the npm registry, Node 24 among them (a minute at most) …',
    )
    const failure = install()
    if (failure !== null) fail(failure)
    if (pinnedNode() === null) {
      fail(
        'node_modules/.bin/node does not run. If npm is told to ignore install scripts, run npm ci --ignore-scripts=false',
      )
    }
    console.log(`Footfall: installed in ${Math.round((Date.now() - started) / 1000)} s`)
  }
} catch (error) {
  fail(error.message)
}
