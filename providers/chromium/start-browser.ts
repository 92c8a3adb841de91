import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { type CdpConnection, type CdpEvent, connectCdp } from './cdp-connection.ts'
import { type Fence, fences } from './fences.ts'
import { folderSize } from './folder-size.ts'
import { groupMemory } from './group-memory.ts'
import type { Chromium } from './unpack-chromium.ts'

export type BrowserOptions = {
  chromium: Chromium
  /** Folder in which the browser gets one of its own, deleted at its end. */
  tempDir: string
  fence: Fence
  onEvent(event: CdpEvent): void
}

export type Browser = CdpConnection & {
  /** Kills the browser with all its processes, and deletes what it has written. */
  close(): Promise<void>
}

/**
 * Memory of all processes of the browser that is not shared with files, bytes. Beyond it, they are killed.
 */
const MAX_MEMORY = 1_200_000_000
/**
 * What a page may write to the disk, bytes, with the profile of the browser, which takes some MB. Beyond it
 * the browser is killed: its own quota is a share of the whole disk. A page that is shown for seconds needs
 * less than one MB.
 */
export const MAX_DISK = 64_000_000
const WATCH_MS = 250
/** Heap of the scripts of one page, MB. */
const HEAP_MB = 400

/**
 * Switches that cut the browser off: the page's requests are answered over the pipe, and whatever else would
 * leave (look-ups, prefetches, WebSocket, WebRTC, QUIC, updates) leads to a proxy at a name that does not
 * resolve, also addresses of this machine.
 */
const CUT_OFF = [
  '--proxy-server=http://nowhere.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // The headless shell reads the first, a whole Chromium the second. Without it WebRTC sends packets to any
  // address, and names of its own to the network by mDNS.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
]

const SMALL = [
  '--headless',
  '--disable-gpu',
  '--disable-3d-apis',
  // Its files are not unpacked. A browser of one process ends when it cannot start it.
  '--disable-software-rasterizer',
  '--disable-dev-shm-usage',
  '--disable-breakpad',
  '--disable-extensions',
  '--disable-default-apps',
  '--no-first-run',
  '--mute-audio',
  '--hide-scrollbars',
  '--blink-settings=imagesEnabled=false',
  '--disable-site-isolation-trials',
  '--disable-features=IsolateOrigins,site-per-process,Translate,OptimizationHints,MediaRouter,AudioServiceOutOfProcess',
  '--renderer-process-limit=2',
  `--js-flags=--max-old-space-size=${HEAP_MB}`,
]

/**
 * Starts a browser behind a fence, in a process group of its own, with nothing of our environment but the
 * path of programs, so no secrets. It is spoken to over two pipes. A browser that cannot start ends at once.
 */
export async function startBrowser({ chromium, tempDir, fence, onEvent }: BrowserOptions): Promise<Browser> {
  const folder = await mkdtemp(join(tempDir, 'render-'))
  const { command, switches } = fences[fence]
  const [file, ...args] = [...command, chromium.executable]
  const child = spawn(
    file as string,
    [
      ...args,
      ...CUT_OFF,
      ...SMALL,
      ...switches,
      `--user-data-dir=${join(folder, 'profile')}`,
      '--remote-debugging-pipe',
      'about:blank',
    ],
    {
      cwd: folder,
      detached: true,
      env: { ...chromium.env, ...environment(folder) },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    },
  )
  const gone = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const connection = connectCdp(child.stdio[3] as Writable, child.stdio[4] as Readable, onEvent)
  let isLooking = false
  const watch = setInterval(async () => {
    // A look at thousands of files may take longer than the pause.
    if (isLooking) return
    isLooking = true
    const takesTooMuch =
      (await groupMemory(child.pid)) > MAX_MEMORY || (await folderSize(folder, MAX_DISK)) > MAX_DISK
    isLooking = false
    if (takesTooMuch) killGroup(child.pid)
  }, WATCH_MS)
  let closing: Promise<void> | null = null

  async function end(): Promise<void> {
    clearInterval(watch)
    killGroup(child.pid)
    await gone
    // A process of the group that is still ending may write into the folder.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }

  return { ...connection, close: () => (closing ??= end()) }
}

function environment(folder: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: folder,
    // The working folder. The path of a socket has 108 characters, and a whole Chromium puts one here.
    TMPDIR: '.',
    XDG_CONFIG_HOME: folder,
    XDG_CACHE_HOME: folder,
    // A whole Chromium asks services of the machine otherwise.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    DBUS_SYSTEM_BUS_ADDRESS: 'disabled:',
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All its processes have ended.
  }
}
