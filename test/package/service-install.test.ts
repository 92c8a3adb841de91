import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Credentials } from '#schemas/owner'
import { noteProcess } from '#test/setup/run-processes'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service } from '#test/support/service-process'
import { waitForTotal } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

/** A clone with `npm ci --omit=dev`, as a server has it: what docs/server.md and the Dockerfile do. */

const root = resolve(import.meta.dirname, '../..')
/** Of a clone that somebody works in. */
const LEFT_OUT = ['node_modules', 'test', 'build', 'cdk.out', '.git', '.footfall']
/**
 * Today 463 MB: Node 189, DuckDB 70, the browser of website analyses 67. All packages are more than twice as
 * much.
 */
const MAX_MB = 500

const clone = newFolder()
beforeAll(async () => {
  for (const name of readdirSync(root).filter(each => !LEFT_OUT.includes(each)))
    cpSync(join(root, name), join(clone, name), { recursive: true })
  await npm('ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error')
})
afterAll(cleanUp)

const env = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ...more,
})

async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: clone, env: env(), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  const [code] = await once(child, 'close')
  expect({ program, args, code, output }).toMatchObject({ code: 0 })
  return output
}

const npm = (...args: string[]) => run('npm', args)

async function start(dataDir: string): Promise<Service & { end(): Promise<unknown> }> {
  const child = spawn('npm', ['start'], {
    cwd: clone,
    env: env({ DATA_DIR: dataDir, PORT: '0', SEED_DEMO: 'false' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  noteProcess(inject('runFolder'), child.pid as number)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  await eventually(() => expect(output).toMatch(/^ready /m))
  const credentials: Credentials = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
  const end = () => {
    child.kill('SIGTERM')
    return once(child, 'exit')
  }
  return { credentials, dataDir, baseUrl: credentials.base_url, output: () => output, end } as never
}

/** The bytes of a folder; a file with several names counts once. */
function bytesOf(folder: string): number {
  const inodes = new Map<number, number>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const { ino, size } = lstatSync(join(entry.parentPath, entry.name))
    inodes.set(ino, size)
  }
  return [...inodes.values()].reduce((sum, size) => sum + size, 0)
}

test('it has the packages of the service and none of the tests, and is less than half of all', () => {
  for (const name of ['vitest', 'typescript', 'aws-cdk-lib', '@aws-sdk/client-s3', 'playwright-core'])
    expect(existsSync(join(clone, 'node_modules', name)), name).toBe(false)
  expect(bytesOf(join(clone, 'node_modules')) / 1e6).toBeLessThan(MAX_MB)
})

test('`npm start` installs nothing more, and takes an event that a report counts', async () => {
  const before = readdirSync(join(clone, 'node_modules'))
  const service = await start(newFolder())
  expect(service.output()).not.toContain('installs its packages')
  const sent = await sendEvents(3, { credentials: service.credentials, prefix: 'installed' })
  await waitForTotal(service, sent.length)
  for (const path of ['/', '/tracker.js', '/replay.js', '/openapi.json', '/auth/sign-in']) {
    const { status } = await fetch(service.baseUrl + path)
    expect({ path, status }).toEqual({ path, status: 200 })
  }
  const initialize = await fetch(`${service.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'X-API-Key': service.credentials.api_key,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  })
  expect(initialize.status).toBe(200)
  // The command line is built here too, and makes a copy with the packages of the service.
  await npm('run', 'build:cli')
  const node = join(clone, 'node_modules/.bin/node')
  const footfall = (...words: string[]) => run(node, [join(clone, 'build/cli/footfall.mjs'), ...words])
  const backups = newFolder()
  await footfall('backup', backups, '--data', service.dataDir)
  expect(await footfall('verify', backups)).toContain(`${sent.length} events of 1 projects`)
  await service.end()
  const more = readdirSync(join(clone, 'node_modules')).filter(name => !before.includes(name))
  expect(more.filter(name => name !== '.cache')).toEqual([])
})
