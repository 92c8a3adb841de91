import { chownSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isNetwork } from '#local/http/trusted-proxies'
import { settingsSchema } from '#local/settings'
import { megabytesOf, runIn, serviceClone, startIn } from '#test/support/service-clone'
import { cleanUp, newFolder } from '#test/support/service-process'
import { waitForTotal } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

/**
 * Dockerfile and compose.yaml, without a container: the steps of the file run in a folder, and the service
 * runs there as the user of the image. docs/container.md says what was not run.
 */

const root = resolve(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(root, path), 'utf8')

type Instruction = { stage: string; name: string; words: string }

/** The instructions of the Dockerfile with the name of their stage; the last stage is `image`. */
function instructions(): Instruction[] {
  let stage = ''
  return text('Dockerfile')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const [name = '', ...rest] = line.split(' ')
      if (name === 'FROM') stage = rest[2] ?? 'image'
      return { stage, name, words: rest.join(' ') }
    })
}

const all = instructions()
const wordsOf = (stage: string, name: string) =>
  all.filter(each => each.stage === stage && each.name === name).map(({ words }) => words)
const onlyOf = (name: string) => wordsOf('image', name)[0] ?? expect.unreachable(name)
const environment = Object.fromEntries(
  onlyOf('ENV')
    .split(' ')
    .map(pair => pair.split('=')),
)

/** The goal for the whole image, and what its base has: glibc, the C++ library, certificates, time zones. */
const MAX_IMAGE_MB = 350
const BASE_MB = 30

/** The folder /app of the image without the browser. */
let app: string
beforeAll(async () => {
  const clone = await serviceClone()
  app = join(newFolder(), 'app')
  for (const copied of wordsOf('packages', 'COPY')) {
    const paths = copied.split(' ')
    const to = paths.pop() as string
    for (const path of paths) {
      // A file goes into a folder that ends with `/`, a folder becomes what the last word names.
      const target = join(app, to.endsWith('/') ? join(to, path.split('/').at(-1) as string) : to)
      mkdirSync(dirname(target), { recursive: true })
      cpSync(join(root, path), target, { recursive: true })
    }
  }
  await runIn(app, 'cp', ['-al', join(clone, 'node_modules'), 'node_modules'])
  const commands = [...wordsOf('packages', 'RUN'), ...wordsOf('without-browser', 'RUN')]
  expect(commands[0]).toBe('npm ci --omit=dev --no-audit --no-fund')
  for (const command of commands.slice(1).filter(each => each !== 'mkdir /empty'))
    await runIn(app, 'sh', ['-c', command])
})
afterAll(cleanUp)

test('the image runs what `npm start` runs, as a user without rights, and knows whether it is healthy', () => {
  const [, ...flags] = JSON.parse(text('package.json')).scripts.start.split(' ').slice(1)
  expect(JSON.parse(onlyOf('CMD'))).toEqual(flags)
  expect(onlyOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  for (const name of Object.keys(environment).filter(each => !/^(HOME|NODE_COMPILE_CACHE)$/.test(each)))
    expect(Object.keys(settingsSchema.shape)).toContain(name)
  // What is copied passes .dockerignore.
  const passing = text('.dockerignore')
    .split('\n')
    .filter(line => line.startsWith('!'))
  const copied = wordsOf('packages', 'COPY').flatMap(words => words.split(' ').slice(0, -1))
  expect(copied.map(path => `!${path}`).toSorted()).toEqual(passing.toSorted())
})

test('the image is within its goal without the browser, and has no types, tests or sources of AWS', () => {
  expect(megabytesOf(app) + BASE_MB).toBeLessThan(MAX_IMAGE_MB)
  for (const path of ['test', 'aws', 'lib', 'node_modules/@sparticuz', 'node_modules/typescript'])
    expect(existsSync(join(app, path)), path).toBe(false)
})

test('the service runs there on a root that it cannot write, takes an event, and ends with SIGTERM', async () => {
  const uid = process.getuid?.() === 0 ? Number(onlyOf('USER').split(':')[0]) : undefined
  const [dataDir, temporary, backups] = [newFolder(), newFolder(), newFolder()]
  for (const folder of [dataDir, temporary, backups]) if (uid !== undefined) chownSync(folder, uid, uid)
  // The folder of the run is for its owner alone.
  await runIn(app, 'sh', ['-c', 'while [ "$PWD" != / ]; do chmod o+x . && cd ..; done'])
  const at = (path: string) => path.replace('/app', app).replace(/^\/tmp/, temporary)
  const env = {
    ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, at(String(value))])),
    ...{ DATA_DIR: dataDir, PORT: '0' },
  }
  const [entry = ''] = JSON.parse(onlyOf('ENTRYPOINT')).map(at)
  const service = await startIn(app, entry, JSON.parse(onlyOf('CMD')), {
    env,
    ...(uid !== undefined && { uid }),
  })
  const { credentials, baseUrl } = service
  const sent = await sendEvents(3, { credentials, prefix: 'container' })
  await waitForTotal(service, sent.length)
  expect((await fetch(`${baseUrl}/tracker.js`)).status).toBe(200)
  const [, check = ''] = /CMD (\[.*\])$/.exec(onlyOf('HEALTHCHECK')) ?? []
  const [program = '', ...words] = JSON.parse(check).map(at)
  await runIn(app, program, words, { env: { PORT: new URL(baseUrl).port } })
  await expect(runIn(app, program, words, { env: { PORT: '9' } })).rejects.toThrow('code')
  const inside = { env, ...(uid !== undefined && { uid }) }
  const footfall = (...args: string[]) => runIn(app, entry, ['build/cli/footfall.mjs', ...args], inside)
  expect(await footfall('admin', 'link')).toContain(`${baseUrl}/setup/`)
  await footfall('backup', backups)
  expect(await footfall('verify', backups)).toContain('is good')
  expect(await service.end()).toBe(0)
})

test('compose.yaml needs one value, publishes Caddy alone, and trusts its network alone', () => {
  const { services, networks, volumes, configs } = parse(text('compose.yaml'))
  const { footfall, caddy } = services
  expect(new Set([...text('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name))).toEqual(
    new Set(['FOOTFALL_HOST']),
  )
  for (const name of Object.keys(footfall.environment))
    expect(Object.keys(settingsSchema.shape)).toContain(name)
  expect([footfall.ports, footfall.read_only, footfall.init, footfall.cap_drop]).toEqual([
    undefined,
    true,
    true,
    ['ALL'],
  ])
  expect(isNetwork(footfall.environment.TRUSTED_PROXIES)).toBe(true)
  expect(networks.web.ipam.config).toEqual([{ subnet: footfall.environment.TRUSTED_PROXIES }])
  expect([footfall.networks, caddy.networks]).toEqual([['web'], ['web']])
  expect(configs.caddyfile.content).toContain(`reverse_proxy footfall:${settingsSchema.parse({}).PORT}`)
  const mounts = [...footfall.volumes, ...caddy.volumes].map((each: string) => each.split(':'))
  expect(mounts.map(([name]) => name).toSorted()).toEqual(Object.keys(volumes).toSorted())
  // Folders that the image makes for its user.
  expect(wordsOf('image', 'COPY').map(words => words.split(' ').at(-1))).toEqual([
    '/app',
    ...footfall.volumes.map((each: string) => each.split(':')[1]),
  ])
  const [, seconds] = /^(\d+)s$/.exec(footfall.stop_grace_period) ?? []
  expect(Number(seconds)).toBeGreaterThan(10)
})
