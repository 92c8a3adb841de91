import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeChanges } from '#cli/site/write-changes'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder } from '#test/support/service-process'
import type { Runner } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { sites } from './sites.ts'
import { closeTerminals, openTerminal, openTerminalHere } from './terminal.ts'
import { createRunner, runHere, skippingClock } from './world.ts'

let service: DemoService
let run: Runner
let env: Record<string, string>
let token: string

const ORIGIN = 'https://shop.example'
const PUBLIC = 'https://stats.example'
const INIT = ['init', 'shop', '--domain', ORIGIN, '--public-url', PUBLIC]

beforeAll(async () => {
  service = await demoService()
  env = { AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), AA_INIT_POLL_INTERVAL_MS: '50' }
  run = createRunner(env)
  await signIn(run, service)
  token = JSON.parse((await run(['create', 'shop', '--domain', ORIGIN, '--json'])).stdout).project_token
})
afterAll(async () => {
  closeTerminals()
  await cleanUp()
})

function newSite(files: Record<string, string>): string {
  const folder = newFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** Every file with its text. */
function filesOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map(path => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]))
}

function withValues(text: string): string {
  const attributes = `src="${PUBLIC}/tracker.js" data-project="shop" data-token="${token}"`
  return text.replaceAll('ATTRIBUTES', attributes).replaceAll('BASE', PUBLIC).replaceAll('TOKEN', token)
}

function track(of = token, origin = ORIGIN): Promise<Response> {
  return fetch(`${service.baseUrl}/track`, {
    method: 'POST',
    headers: { Origin: origin, 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36' },
    body: JSON.stringify({ token: of, event: 'page_view', properties: { path: '/hello' } }),
  })
}

describe.each(Object.entries(sites))('%s', (_, { kind, files, after }) => {
  test('gets the snippet once, in its own style, and nothing else changes', async () => {
    const folder = newSite(files)
    const args = [...INIT, '--folder', folder, '--yes', '--wait', '0', '--json']
    const first = await run(args)
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' })
    const { site } = JSON.parse(first.stdout)
    expect({ kind: site.kind, status: site.status }).toEqual({ kind, status: 'written' })
    const expected = Object.entries(after).map(([path, text]) => [path, withValues(text)])
    const written = filesOf(folder)
    expect(written).toEqual({ ...files, ...Object.fromEntries(expected) })
    const again = await run(args)
    expect(JSON.parse(again.stdout).site).toMatchObject({ status: 'already_there', files: [] })
    expect(filesOf(folder)).toEqual(written)
  })
})

const PAGE = '<html>\n<head>\n</head>\n</html>\n'

test('a folder of no known kind, and a site without a place, get the snippet and where it goes', async () => {
  for (const [files, where] of [
    [{ 'notes.txt': 'x' }, 'the head of each page'],
    [{ 'package.json': '{"dependencies":{"next":"16"}}' }, 'app/layout.tsx'],
    [{ 'package.json': 'no JSON', 'index.html': '<p>' }, 'the head of each page'],
  ] as const) {
    const folder = newSite(files)
    const { code, stdout } = await run([...INIT, '--folder', folder, '--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain(`data-token="${token}"`)
    expect(stdout).toMatch(new RegExp(`Nothing was written. Put the snippet into .*${where}`))
    expect(filesOf(folder)).toEqual(files)
  }
})

test('with --core every kind of site loads the small script, and the service has it', async () => {
  for (const [name, { files, after }] of Object.entries(sites)) {
    const folder = newSite(files)
    const { code } = await run([...INIT, '--core', '--folder', folder, '--yes', '--wait', '0'])
    const written = filesOf(folder)
    const small = (text: string) => withValues(text).replaceAll('/tracker.js', '/tracker.core.js')
    for (const [path, text] of Object.entries(after)) {
      expect({ name, code, text: written[path] }).toEqual({ name, code: 0, text: small(text) })
      expect(written[path]).toContain(`${PUBLIC}/tracker.core.js`)
    }
  }
  expect((await fetch(`${service.baseUrl}/tracker.core.js`)).status).toBe(200)
  const dry = await run([...INIT, '--core', '--folder', newSite({ 'index.html': PAGE }), '--dry-run'])
  expect(dry.stdout).toContain(`${PUBLIC}/tracker.core.js`)
})

test('without --yes and without a terminal the difference is shown and nothing is written', async () => {
  const folder = newSite({ 'index.html': PAGE })
  const { code, stdout } = await run([...INIT, '--folder', folder])
  expect({ code, stdout }).toEqual({
    ...{ code: 0, stdout: expect.stringMatching(/\n\+<script defer .*[\s\S]*--yes writes without asking/) },
  })
  expect(filesOf(folder)).toEqual({ 'index.html': PAGE })
})

test('a dry run sends and writes nothing', async () => {
  const folder = newSite({ 'index.html': PAGE })
  const args = ['init', 'other', '--domain', ORIGIN, '--folder', folder, '--dry-run', '--json']
  const { code, stdout } = await run(args, { AA_BASE_URL: 'http://127.0.0.1:9' })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    request: { endpoint: 'POST /projects' },
    site: { kind: 'HTML pages', files: [{ path: 'index.html', is_new: false }] },
  })
  expect(filesOf(folder)).toEqual({ 'index.html': PAGE })
})

test('a site with the snippet of another project is not changed, and no project is created', async () => {
  const other = PAGE.replace(
    '</head>',
    `<script data-project="blog" data-token="aat_${'0'.repeat(48)}"></script></head>`,
  )
  const folder = newSite({ 'index.html': other, 'b.html': PAGE })
  const args = ['init', 'fresh', '--domain', ORIGIN, '--folder', folder, '--yes', '--json']
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout, error: JSON.parse(stderr).error }).toEqual({
    code: 1,
    stdout: '',
    error: 'SNIPPET_EXISTS',
  })
  expect(filesOf(folder)).toEqual({ 'index.html': other, 'b.html': PAGE })
  expect((await run(['list'])).stdout).not.toContain('fresh')
  // The same name, but a token of an earlier project.
  const old = newSite({ 'index.html': other.replace('"blog"', '"shop"') })
  expect(await run([...INIT, '--folder', old, '--yes'])).toMatchObject({ code: 1 })
})

test('links that lead out of the folder are not followed', async () => {
  const outside = newSite({ 'page.html': PAGE, 'plugins/x.ts': '' })
  const folder = newSite({ 'index.html': PAGE })
  symlinkSync(join(outside, 'page.html'), join(folder, 'linked.html'))
  symlinkSync(outside, join(folder, 'linked'))
  expect(await run([...INIT, '--folder', folder, '--yes', '--wait', '0'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(outside, 'page.html'), 'utf8')).toBe(PAGE)
  const nuxt = newSite({ 'package.json': '{"dependencies":{"nuxt":"^3"}}' })
  symlinkSync(join(outside, 'plugins'), join(nuxt, 'plugins'))
  const { code, stderr } = await run([...INIT, '--folder', nuxt, '--yes', '--wait', '0'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('outside of the folder') })
  expect(readdirSync(join(outside, 'plugins'))).toEqual(['x.ts'])
})

test('a page in another encoding is left as it is, and a file keeps its mode', async () => {
  const folder = newSite({ 'index.html': PAGE })
  const latin = Buffer.from(PAGE.replace('<head>', '<head><title>Ã©</title>'), 'latin1')
  writeFileSync(join(folder, 'latin.html'), Buffer.concat([latin, Buffer.from([0xe9])]))
  const before = readFileSync(join(folder, 'latin.html'))
  chmodSync(join(folder, 'index.html'), 0o640)
  expect(await run([...INIT, '--folder', folder, '--yes', '--wait', '0'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'latin.html'))).toEqual(before)
  expect(statSync(join(folder, 'index.html')).mode & 0o777).toBe(0o640)
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain(token)
})

test('a page that was changed after it was read leaves all pages as they are', () => {
  const folder = newSite({ 'index.html': PAGE, 'b.html': 'changed meanwhile' })
  const before = filesOf(folder)
  const changes = ['index.html', 'b.html'].map(path => ({ path, before: PAGE, after: 'new' }))
  expect(() => writeChanges({ pid: process.pid }, realpathSync(folder), changes)).toThrow(
    'b.html was changed meanwhile',
  )
  expect(filesOf(folder)).toEqual(before)
})

test('the first event ends the wait, and says what it is', async () => {
  const folder = newSite({ 'index.html': PAGE })
  const waiting = run([...INIT, '--folder', folder, '--yes', '--wait', '120', '--json'])
  await eventually(() => expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain(token))
  expect((await track()).status).toBe(202)
  const { code, stdout } = await waiting
  expect(code).toBe(0)
  const { first_event } = JSON.parse(stdout)
  expect(first_event === 'unknown' || first_event.event === 'page_view').toBe(true)
})

test('no event within the time that the caller has named is an error, after the result', async () => {
  const folder = newSite({ 'index.html': PAGE })
  const args = [...INIT, '--folder', folder, '--yes', '--wait', '9', '--json']
  const { AA_INIT_POLL_INTERVAL_MS: _, ...asUsual } = env
  const { code, stdout, stderr } = await runHere(args, { env: asUsual, clock: skippingClock() })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ site: { status: 'written' }, first_event: null })
  expect(JSON.parse(stderr.trim().split('\n').at(-1) as string)).toMatchObject({
    error: 'TIMEOUT',
    retryable: true,
  })
})

test('on a terminal it shows the difference, asks, writes, waits, and says that the event arrived', async () => {
  const folder = newSite({ 'index.html': PAGE })
  const terminal = openTerminalHere([...INIT, '--folder', folder], { columns: 200, env })
  await terminal.waitFor(/\+<script defer src=.*\n[\s\S]*Write index.html\? \[y\/N\]/)
  expect(existsSync(join(folder, 'index.html'))).toBe(true)
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe(PAGE)
  terminal.press('y\r')
  await terminal.waitFor(/Wrote index.html/)
  await track()
  await terminal.waitFor(/arrived. See it: footfall events shop/)
  expect(await terminal.ended).toBe(0)
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain(token)
})

test.each([
  ['an empty answer', '\r', 0, openTerminalHere],
  ['the end of the input', '\u0004', 0, openTerminalHere],
  ['Ctrl-C', '\u0003', 130, openTerminal],
])('%s to the question writes nothing', async (_, keys, expected, openIt) => {
  const folder = newSite({ 'index.html': PAGE })
  const terminal = await openIt([...INIT, '--folder', folder], { columns: 120, env })
  await terminal.waitFor(/\[y\/N\]/)
  terminal.press(keys)
  expect(await terminal.ended).toBe(expected)
  expect(filesOf(folder)).toEqual({ 'index.html': PAGE })
})

describe('a service that says an address of this machine alone', () => {
  const LOCAL = ['init', 'shop', '--domain', ORIGIN]
  const script = (folder: string) =>
    /<script defer src=.*/.exec(filesOf(folder)['index.html'] ?? '')?.[0] ?? ''

  test.each([
    ['https://stats.shop.example\r', 'https://stats.shop.example/tracker.js'],
    ['https://stats.shop.example/\r', 'https://stats.shop.example/tracker.js'],
    ['\r', 'http://localhost:'],
  ])('a person is asked for the public one, and %j becomes %s', async (keys, expected) => {
    const folder = newSite({ 'index.html': PAGE })
    const terminal = openTerminalHere([...LOCAL, '--folder', folder, '--wait', '0'], { columns: 200, env })
    await terminal.waitFor(/only this machine reaches\. Where do browsers reach it/)
    terminal.press(keys)
    await terminal.waitFor(/\[y\/N\]/)
    terminal.press('y\r')
    expect(await terminal.ended).toBe(0)
    expect(script(folder)).toContain(`src="${expected}`)
  })

  test('an agent is told, and --public-url answers', async () => {
    const folder = newSite({ 'index.html': PAGE })
    const told = await run([...LOCAL, '--folder', folder, '--dry-run'])
    expect(told.code).toBe(0)
    const written = await run([...LOCAL, '--folder', folder, '--yes', '--wait', '0'])
    expect([written.code, written.stderr]).toEqual([0, expect.stringContaining('add --public-url https://')])
    const wrong = await run([...LOCAL, '--folder', folder, '--public-url', 'stats.example'])
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--public-url https://')])
    const below = await run([...LOCAL, '--folder', folder, '--public-url', 'https://shop.example/stats'])
    expect([below.code, below.stderr]).toEqual([1, expect.stringContaining('without a path')])
    const named = await run([...INIT, '--folder', newSite({ 'index.html': PAGE }), '--yes', '--wait', '0'])
    expect([named.code, named.stderr]).toEqual([0, ''])
  })
})

test.each([
  ['http://localhost:3000', true],
  ['http://127.0.0.1:8000', true],
  ['https://local.example,http://app.localhost', true],
  ['https://localhost.example', false],
  ['*', false],
])('a site at %s gets data-localhost: %s', async (domain, isLocal) => {
  const folder = newSite({ 'index.html': PAGE })
  const name = `local-${domain.replace(/\W+/g, '-')}`.slice(0, 60)
  const args = ['init', name, '--domain', domain, '--folder', folder, '--public-url', PUBLIC]
  expect(await run([...args, '--yes', '--wait', '0'])).toMatchObject({ code: 0 })
  expect(filesOf(folder)['index.html']?.includes('data-localhost="true"')).toBe(isLocal)
})

test('run again on a site whose events arrive, it says how many there are and does not wait', async () => {
  const name = 'known-shop'
  const folder = newSite({ 'index.html': PAGE })
  const origin = 'https://known.example'
  const args = ['init', name, '--domain', origin, '--folder', folder, '--public-url', PUBLIC, '--yes']
  expect(await run([...args, '--wait', '0'])).toMatchObject({ code: 0 })
  const known = JSON.parse((await run(['create', name, '--domain', origin, '--json'])).stdout).project_token
  for (let i = 0; i < 3; i++) expect((await track(known, origin)).status).toBe(202)
  await eventually(async () =>
    expect(JSON.parse((await run(['project', name, '--json'])).stdout).total_events).toBe(3),
  )
  const again = await run(args)
  expect([again.code, again.stderr]).toEqual([0, ''])
  expect(again.stdout).toContain('The project has 3 events already. See them: footfall events known-shop')
})
