import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findFence } from '#local/scans/find-fence'
import type { Fence } from '#providers/chromium/fences'
import { isFenceAllowed } from '#providers/chromium/probe-fence'
import type { Chromium } from '#providers/chromium/unpack-chromium'
import { unpackChromium } from '#test/setup/unpack-chromium'
import { CACHING_CHROMIUM } from '#test/support/browser'
import { openRenderer, processesOf, SIGNAL } from './open-renderer.ts'
import { pageOfWaysOut, WAYS_OUT } from './ways-out.ts'

/** What leaves a browser behind each fence, and what holds its pages. */

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

type Browser = [name: string, find: () => Promise<Chromium>]

const PACKED: Browser = ['the headless shell of npm', unpackChromium]
/** Debian's, or that of CHROMIUM_PATH. */
const WHOLE = [CACHING_CHROMIUM]
  .filter(path => path !== null)
  .map((path): Browser => [`the Chromium ${path}`, async () => ({ executable: path, env: {} })])
const BROWSERS = process.env.CHROMIUM_PATH ? WHOLE : [PACKED, ...WHOLE]

/** Without namespaces, as in many containers, only the switches cut the browser off. */
const [hasSandbox, hasNamespaces] = await Promise.all([
  isFenceAllowed('sandbox_without_network'),
  isFenceAllowed('namespaces'),
])
type Held = { fence: Fence; isSandboxed: boolean; hasNetwork: boolean; isHere: boolean }
const HELD = [
  { fence: 'none', isSandboxed: false, hasNetwork: true, isHere: true },
  { fence: 'namespaces', isSandboxed: false, hasNetwork: false, isHere: hasNamespaces },
  { fence: 'sandbox', isSandboxed: true, hasNetwork: true, isHere: hasSandbox },
  { fence: 'sandbox_without_network', isSandboxed: true, hasNetwork: false, isHere: hasSandbox },
].filter(({ isHere }) => isHere) as Held[]

/**
 * A browser whose program, started by root, is an ordinary user in a namespace with the network of the
 * machine: what an ordinary user of a machine has behind the fence `sandbox`.
 */
async function ofOrdinaryUser(find: () => Promise<Chromium>): Promise<Chromium> {
  const { executable, env } = await find()
  if (process.getuid?.() !== 0) return { executable, env }
  return script(`exec unshare --user --map-user=65534 --map-group=65534 -- ${executable} "$@"`, env)
}

/** A program that runs a line of shell. */
async function script(line: string, env: Record<string, string> = {}): Promise<Chromium> {
  const folder = await mkdtemp(join(tmpdir(), 'footfall-chromium-script-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  const executable = join(folder, 'chromium')
  await writeFile(executable, `#!/bin/sh\n${line}\n`)
  await chmod(executable, 0o755)
  return { executable, env }
}

/** Listeners of this machine, and what they hear. */
async function listen() {
  const heard: string[] = []
  const tcp = createServer(socket => {
    heard.push('tcp')
    socket.destroy()
  }).listen(0, '::')
  await once(tcp, 'listening')
  cleanups.push(() => tcp.close())
  const udp = createSocket('udp4', () => void heard.push('udp')).bind(0, '127.0.0.1')
  await once(udp, 'listening')
  cleanups.push(() => udp.close())
  await listenForMdns(heard)
  const at = ({ port }: AddressInfo) => `127.0.0.1:${port}`
  return { heard, tcp: at(tcp.address() as AddressInfo), udp: at(udp.address()) }
}

/** WebRTC of a whole Chromium tells the network names of the form `<uuid>.local`. */
async function listenForMdns(heard: string[]): Promise<void> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true }, message => {
    const at = message.indexOf('\u0005local')
    if (/[0-9a-f-]{36}$/.test(message.subarray(0, Math.max(0, at)).toString('latin1'))) heard.push('mdns')
  })
  cleanups.push(() => socket.close())
  socket.bind(5353)
  await once(socket, 'listening')
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  for (const { family, address } of addresses) {
    if (family === 'IPv4') socket.addMembership('224.0.0.251', address)
  }
}

/** Pages whose first one tries every way out, and holds the browser until it has. */
function pagesOf(listeners: { tcp: string; udp: string }, onTried: () => Promise<void>) {
  const tried = Promise.withResolvers<void>()
  return {
    '/': pageOfWaysOut(listeners),
    '/worker.js': `self.addEventListener('install', () => fetch('http://${listeners.tcp}/service'))`,
    '/hold': (_: unknown, response: { end(): void }) => void tried.promise.then(() => response.end()),
    '/tried': async (_: unknown, response: { end(): void }) => {
      await onTried()
      response.end()
      tried.resolve()
    },
  }
}

describe.each(BROWSERS)('in %s', (_, find) => {
  test.each(HELD)(
    `behind the fence $fence nothing but the guarded client connects to anything, whatever of ${WAYS_OUT} ways a page tries`,
    async ({ fence, isSandboxed, hasNetwork }) => {
      const listeners = await listen()
      const findChromium = fence === 'sandbox' ? () => ofOrdinaryUser(find) : find
      const seen = { seccomp: new Set<string>(), networks: new Set<string>() }
      const pages = pagesOf(listeners, async () => {
        for (const pid of await groupOf(processesOf(tempDir))) await look(pid, seen)
      })
      const opened = await openRenderer(cleanups, pages, { fence, findChromium })
      const { renderer, requests, url, tempDir } = opened
      const { pages: rendered } = await renderer.render([url('/')], SIGNAL())
      expect(rendered.get(url('/'))).toHaveProperty('html', expect.stringContaining('all tried'))
      expect(listeners.heard).toEqual([])
      const others = requests.filter(
        request => !/^GET \/(worker\.js|hold|tried|favicon\.ico)?$/.test(request),
      )
      expect(others).toEqual([])
      // The kernel says what holds the processes that run scripts. 2: their system calls are filtered.
      expect(seen.seccomp).toEqual(new Set([isSandboxed ? '2' : '0']))
      const own = await readlink('/proc/self/ns/net')
      expect(seen.networks.has(own)).toBe(hasNetwork)
      expect(await readdir(tempDir)).toEqual([])
      // A whole Chromium has a process outside of its group, which ends when it notices that the others have.
      await expect.poll(() => processesOf(tempDir)).toEqual([])
    },
  )
})

/** All processes of the groups of these ones. */
async function groupOf(pids: string[]): Promise<string[]> {
  const all = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const groups = await Promise.all(all.map(processGroup))
  return all.filter((_, i) => groups[i] !== null && pids.includes(groups[i] as string))
}

async function processGroup(pid: string): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  // The name of a process may have spaces and brackets.
  return stat?.replace(/^.*\) /s, '').split(' ')[2] ?? null
}

/** Notes the filter of a process that runs scripts of pages, and the network of any other one. */
async function look(pid: string, seen: { seccomp: Set<string>; networks: Set<string> }): Promise<void> {
  try {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    if (command.includes('--type=renderer')) seen.seccomp.add(/^Seccomp:\s+(\d)/m.exec(status)?.[1] ?? '')
    else seen.networks.add(await readlink(`/proc/${pid}/ns/net`))
  } catch {
    // It has ended, or the kernel keeps its namespaces from an ordinary user.
  }
}

test('the listeners of these tests hear a connection and a packet', async () => {
  const { heard, tcp, udp } = await listen()
  const portOf = (address: string) => Number(address.split(':')[1])
  const socket = connect(portOf(tcp), '127.0.0.1')
  cleanups.push(() => socket.destroy())
  await once(socket, 'close')
  const sender = createSocket('udp4')
  cleanups.push(() => sender.close())
  sender.send('x', portOf(udp), '127.0.0.1')
  await expect.poll(() => heard.toSorted()).toEqual(['tcp', 'udp'])
})

describe.runIf(hasSandbox && hasNamespaces)(
  'an installed browser is started behind a fence before the service says that it has it',
  () => {
    test.each<[string, (browser: string) => string, string, string]>([
      ['any', browser => `exec ${browser} "$@"`, 'sandbox_without_network', 'sandbox of Chromium'],
      [
        'one that needs the network',
        browser =>
          `[ "$(readlink /proc/self/ns/net)" = NETWORK ] || exit 1; exec unshare --user --map-user=65534 --map-group=65534 -- ${browser} "$@"`,
        'sandbox',
        'sandbox of Chromium.',
      ],
      [
        'one without a sandbox',
        browser => `case "$*" in *--no-sandbox*) exec ${browser} "$@";; esac; exit 1`,
        'namespaces',
        'namespaces without a network',
      ],
      [
        'one without a sandbox that needs the network',
        browser =>
          `[ "$(readlink /proc/self/ns/net)" = NETWORK ] || exit 1; case "$*" in *--no-sandbox*) exec ${browser} "$@";; esac; exit 1`,
        'none',
        'no pages for callers without an account',
      ],
      ['one that ends', () => 'exit 1', 'none', 'does not start'],
    ])('%s', async (_, lineOf, fence, text) => {
      const { executable, env } = await unpackChromium()
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
      const line = lineOf(['env', ...variables, executable].join(' ')).replace(
        'NETWORK',
        await readlink('/proc/self/ns/net'),
      )
      const { executable: installed } = await script(line)
      const folder = await mkdtemp(join(tmpdir(), 'footfall-fence-test-'))
      cleanups.push(() => rm(folder, { recursive: true, force: true }))
      expect(await findFence(folder, installed)).toEqual({ fence, text: expect.stringContaining(text) })
      expect(await readdir(join(folder, 'rendering'))).toEqual([])
    })
  },
)
