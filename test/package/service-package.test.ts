import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { builtCommandLine } from '#test/cli/built-cli'
import { eventually } from '#test/support/eventually'
import { keepPort } from '#test/support/keep-port'
import { packedService } from '#test/support/packed-package'
import { megabytesOf, runIn, serviceClone, startIn } from '#test/support/service-clone'
import { cleanUp, newFolder } from '#test/support/service-process'
import { waitForTotal } from '#test/support/service-reads'
import { startTlsProxy, tlsCertificate } from '#test/support/tls-proxy'
import { sendEvents } from '#test/support/tracking-client'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/**
 * The package of the service in a folder without the repository, on the machine's own Node and npm:
 * docs/server.md.
 */

/** Today 1.5 MB. The service is in it, and no library. */
const MAX_PACKED_MB = 2
/** Today 452 MB: Node 193, DuckDB 71, the browser of website analyses 68, `stripe` 23. */
const MAX_MB = 480

/** The tests run with the Node of the packages first in PATH. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter(folder => !folder.endsWith('node_modules/.bin') && !folder.includes('node-gyp-bin'))
  .join(':')

let folder: string
let installed: string
beforeAll(async () => {
  folder = newFolder()
  await linkPackages(folder)
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
  await runIn(folder, 'npm', ['install', ...quiet, await packedService()], { env: { PATH } })
  installed = join(folder, 'node_modules/footfall-service')
})
afterAll(cleanUp)

/**
 * Links the packages of a clone into the folder, so that npm need not unpack 250 MB of the same files. npm
 * removes those that the new package does not name, and loads what is missing, such as the Node.
 */
async function linkPackages(to: string): Promise<void> {
  const packages = join(to, 'node_modules')
  await runIn(await serviceClone(), 'cp', ['-al', 'node_modules', to])
  for (const name of ['.package-lock.json', '.bin', 'footfall-service', 'node'])
    rmSync(join(packages, name), { recursive: true })
}

test('the tarball is small, and the installation has what the service needs without a script of a package', async () => {
  expect(statSync(await packedService()).size / 1e6).toBeLessThan(MAX_PACKED_MB)
  const packages = join(folder, 'node_modules')
  for (const name of ['esbuild', 'terser', 'preact', 'commander', 'aws-cdk-lib', 'node'])
    expect(existsSync(join(packages, name)), name).toBe(false)
  expect(megabytesOf(packages)).toBeLessThan(MAX_MB)
})

test('each file that the code of the package names is in it', () => {
  const files = globSync('{core,duckdb,lambdas,local,providers,scanner,schemas}/**/*.{js,mjs}', {
    cwd: installed,
  })
  const names = files.flatMap(path =>
    [
      ...readFileSync(join(installed, path), 'utf8').matchAll(/['"](\.{1,2}\/[\w./-]+\.(?:js|mjs|ts))['"]/g),
    ].map(([, name = '']) => join(dirname(path), name)),
  )
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter(name => !existsSync(join(installed, name)))).toEqual([])
  expect(readdirSync(join(installed, 'browser'))).toHaveLength(5)
})

test('the units of systemd name programs of the package', () => {
  for (const path of globSync('local/systemd/*.service', { cwd: installed })) {
    const unit = readFileSync(join(installed, path), 'utf8')
    const here = (text = '') => text.replace('/opt/footfall', folder)
    const working = here(/^WorkingDirectory=(.*)$/m.exec(unit)?.[1])
    const commands = [...unit.matchAll(/^ExecStart=(\S+) .*?(\S+\.js)\b/gm)]
    expect(commands.length).toBeGreaterThan(0)
    for (const [, node, program = ''] of commands)
      expect([existsSync(here(node)), existsSync(join(working, program))], path).toEqual([true, true])
  }
})

test('`footfall serve` takes events that a report counts, and whatever ends it loses none', async () => {
  const dataDir = newFolder()
  const env = { PATH, HOME: newFolder(), DATA_DIR: dataDir, SEED_DEMO: 'false' }
  const command = join(folder, 'node_modules/.bin/footfall')
  const words = ['serve', '--data', dataDir, '--port', '0']
  const first = await startIn(folder, command, words, { env })
  const { credentials, baseUrl } = first
  const sent = await sendEvents(3, { credentials, prefix: 'package' })
  await waitForTotal(first, sent.length)
  const home = await (await fetch(`${baseUrl}/`)).text()
  const [, script = ''] = /<script [^>]*src="([^"]+\.js)"/.exec(home) ?? []
  const paths = [script, '/tracker.js', '/tracker.core.js', '/replay.js', '/numbers.md', '/auth/sign-in']
  for (const path of paths) {
    const { status } = await fetch(new URL(path, baseUrl))
    expect({ path, status }).toEqual({ path, status: 200 })
  }
  const footfall = (...args: string[]) => runIn(folder, command, args, { env })
  const backups = newFolder()
  await footfall('backup', backups, '--data', dataDir)
  expect(await footfall('verify', backups)).toContain(`${sent.length} events of 1 projects`)
  // The command line of the other package finds the service beside it.
  const alone = join(folder, 'node_modules/footfall/build/cli/footfall.mjs')
  mkdirSync(dirname(alone), { recursive: true })
  cpSync(await builtCommandLine(), alone)
  expect(await runIn(folder, 'node', [alone, 'verify', backups], { env })).toContain('is good')
  expect(await footfall('admin', 'link', '--data', dataDir)).toContain(`${baseUrl}/setup/`)
  // The signal follows the answer at once.
  const late = await sendEvents(2, { credentials, prefix: 'late' })
  expect(await first.end()).toBe(0)

  const second = await startIn(folder, command, words, { env })
  await waitForTotal(second, sent.length + late.length)
  process.kill(second.pid, 'SIGKILL')
  await eventually(() => expect(second.output()).toContain('"STOPPED"'))
})

test('from `npx footfall serve` to an event over https, as docs/server.md goes, and SIGTERM to npx ends it', async () => {
  const port = await keepPort()
  const proxy = await startTlsProxy(port)
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, tlsCertificate])
  onTestFinished(() => {
    proxy.close()
    setDefaultCACertificates(trusted)
  })
  const baseUrl = `https://localhost:${proxy.port}`
  const dataDir = newFolder()
  const words = ['serve', '--data', dataDir, '--base-url', baseUrl, '--port', String(port)]
  const env = { PATH, HOME: newFolder(), DATA_DIR: dataDir, SEED_DEMO: 'false', TRUSTED_PROXIES: '127.0.0.1' }
  const service = await startIn(folder, 'npx', ['footfall', ...words], { env })
  expect(service.baseUrl).toBe(baseUrl)
  const headers = { 'X-API-Key': readFileSync(join(dataDir, 'api-key'), 'utf8').trim() }
  const origin = 'https://www.example.com'
  const project = { name: 'my-site', allowed_origins: origin }
  const created = await fetch(`${baseUrl}/projects`, {
    method: 'POST',
    headers,
    body: JSON.stringify(project),
  })
  const { snippet, project_token: token } = (await created.json()) as Record<string, string>
  const [, script = ''] = / src="([^"]+)"/.exec(snippet ?? '') ?? []
  expect([script, (await fetch(script)).status]).toEqual([`${baseUrl}/tracker.js`, 200])
  const view = { token, event: 'page_view', properties: { path: '/hello' } }
  const tracked = await fetch(`${baseUrl}/track`, {
    method: 'POST',
    headers: { Origin: origin, 'User-Agent': HUMAN_USER_AGENT },
    body: JSON.stringify(view),
  })
  expect(tracked.status).toBe(202)
  await eventually(async () => {
    const answer = await fetch(`${baseUrl}/stats?project=my-site&since=0d`, { headers })
    expect(await answer.json()).toMatchObject({ totals: { total_events: 1 } })
  })
  await service.end()
  await eventually(() => expect(service.output()).toContain('"STOPPED"'))
})
