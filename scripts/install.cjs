'use strict'
// Runs before `npm start` (with --service), `npm test` and `npm run check`. Installs the packages, including Node 24, when node_modules differs
// from package-lock.json. The service needs those of service/package.json alone: a folder without the packages of the tests stays without them.
// It runs on the machine's own Node, so it is plain JavaScript without dependencies.

const fs = require('node:fs')
const path = require('node:path')
const childProcess = require('node:child_process')
const net = require('node:net')

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

const lockFile = readJson('package-lock.json')
const installed = readJson('node_modules/.package-lock.json')

/** Whether the packages of tests and builds are needed, or are there: then `npm start` keeps them up to date too. */
function needsDevelopment() {
  if (!process.argv.includes('--service')) return true
  if (lockFile === null || installed === null) return false
  return Object.keys(installed.packages).some(name => {
    const { dev } = lockFile.packages[name] || {}
    return dev === true
  })
}

/**
 * Returns the first package that differs from the lock file, or null. An optional package may be for another platform. One that is optional
 * here and of the development there (`devOptional`) is left out with either.
 */
function firstMissing() {
  if (lockFile === null)
    throw new Error('package-lock.json is missing or cannot be read. Restore it from git.')
  if (installed === null) return 'all packages'
  const isWhole = needsDevelopment()
  return (
    Object.keys(lockFile.packages).find(name => {
      if (name === '') return false
      const locked = lockFile.packages[name]
      const installedPackage = installed.packages[name]
      if (installedPackage === undefined)
        return !locked.optional && (isWhole || !(locked.dev || locked.devOptional))
      return installedPackage.version !== locked.version
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
  const dev = needsDevelopment() ? '--include=dev' : '--omit=dev'
  const args = ['ci', dev, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
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

/** Calls back with the data folder of a service that runs, as its socket shows, or with null. Windows has no such socket. */
function findService(callback) {
  const folder = path.resolve(root, process.env.DATA_DIR || '.footfall')
  if (!process.argv.includes('--service') || process.platform === 'win32') return callback(null)
  const socket = net.connect(path.join(folder, 'admin.sock'))
  socket.once('error', () => callback(null))
  socket.once('connect', () => {
    socket.destroy()
    callback(folder)
  })
}

function installUnless(running) {
  if (running !== null) {
    console.error(
      `\nA Footfall service runs on ${running}, and an installation would replace its packages while it uses them. Stop it first, then run this again.`,
    )
    process.exit(1)
  }
  try {
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
  } catch (error) {
    fail(error.message)
  }
}

try {
  if (firstMissing() !== null || pinnedNodeVersion() === null) findService(installUnless)
} catch (error) {
  fail(error.message)
}
