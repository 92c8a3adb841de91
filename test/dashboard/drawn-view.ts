import { setTimeout as sleep } from 'node:timers/promises'
import { compileFunction } from 'node:vm'
import { build } from 'esbuild'
import { beforeAll } from 'vitest'
import { OPTIONS } from '#dashboard/build'
import { valueOnceARun } from '#test/setup/once-a-run'
import { demoFolder } from '#test/support/demo-folder'
import { startService } from '#test/support/service-process'
import { type Asked, type Drawn, drawnOf } from './drawn.ts'
import { type Called, type OwnerCalls, ownerCalls } from './owner-calls.ts'
import { localIntl, memoryStorage } from './reader.ts'
import { parseMarkup, select } from './select.ts'

/**
 * Draws views of the dashboard in Node, with the answers of a real service that has the demo traffic. All
 * files of a run share the service; a test that writes uses a project of its own.
 */

export type Drawings = OwnerCalls & {
  service: Called
  /** Opens an address as the owner, and draws it when everything is answered. */
  draw(path: string, options?: DrawOptions): Promise<OpenDrawn>
}

/** A drawing whose page is still open: `askAgain` asks everything again, and draws what is known then. */
export type OpenDrawn = Drawn & { askAgain(): Promise<Drawn> }

export type DrawOptions = {
  /** Sends nothing that says who asks, as a browser that nobody has signed in. */
  isSignedOut?: boolean
  isOffline?: boolean
  /** The page says that its reads are one call, as on AWS. */
  readsTogether?: boolean
  /** Draws before anything is answered. */
  isWaiting?: boolean
  /** What the browser remembers of the dashboard, by its key. */
  remembered?: Record<string, string>
  /** Answers in the place of the service; undefined: the service answers. `ask` asks it. */
  answer?(url: URL, ask: () => Promise<Response>, init: RequestInit): Promise<Response> | undefined
}

/** The functions of drawing.tsx. */
type Drawing = typeof import('./drawing.tsx')

/** What the dashboard takes from its browser. */
type World = Record<(typeof WORLD)[number], unknown>
const WORLD = ['location', 'history', 'document', 'navigator', 'localStorage', 'fetch', 'Intl'] as const

/** Of a call that gets Retry-After. */
const MAX_TRIES = 5

/** Starts what the drawings of a file share. Call it outside of tests. */
export function useDrawings(): Drawings {
  const drawings = {} as Drawings
  beforeAll(async () => {
    const [service, script] = await Promise.all([
      valueOnceARun('drawn-service', startDemo),
      valueOnceARun('drawing', buildDrawing),
    ])
    const start = compileFunction(script, [...WORLD], { filename: 'drawing.js' })
    const open = (world: World): Drawing => start(...WORLD.map(name => world[name]))
    Object.assign(drawings, { service, ...ownerCalls(service) } satisfies Partial<Drawings>)
    drawings.draw = (path, options = {}) => draw(service, open, path, options)
  })
  return drawings
}

async function startDemo(): Promise<Called> {
  const dataDir = await demoFolder({ isShared: true })
  const { baseUrl, credentials } = await startService({ dataDir, seed: true, isShared: true })
  return { baseUrl, credentials }
}

async function buildDrawing(): Promise<string> {
  const { splitting: _, entryNames: __, chunkNames: ___, metafile: ____, ...options } = OPTIONS
  const { outputFiles } = await build({
    ...options,
    ...{ absWorkingDir: import.meta.dirname, entryPoints: ['drawing.tsx'], minify: false },
    // The script is the body of a function that returns the module. Each page calls it and so gets a module
    // of its own.
    ...{ format: 'iife', globalName: 'drawing', footer: { js: 'return drawing' } },
  })
  return outputFiles[0]?.text ?? ''
}

async function draw(
  service: Called,
  open: (world: World) => Drawing,
  path: string,
  options: DrawOptions,
): Promise<OpenDrawn> {
  const address = new URL(path, service.baseUrl)
  const asked: Asked[] = []
  const app = await appOf(service, address)
  if (options.readsTogether) app.dataset.readsTogether = 'true'
  const page = open({
    location: address,
    history: { replaceState: (_: null, __: string, path: string) => goTo(address, path) },
    document: { visibilityState: 'visible', getElementById: () => app },
    navigator: { onLine: options.isOffline !== true },
    localStorage: memoryStorage(options.remembered),
    fetch: async (to: string, init: RequestInit = {}) => {
      if (options.isOffline) throw new TypeError('There is no connection.')
      const url = new URL(to, address)
      const ask = () => fetchPatiently(url, options.isSignedOut ? init : signed(service, init))
      const response = await (options.answer?.(url, ask, init) ?? ask())
      const said: unknown = await response.clone().json()
      asked.push({ name: `${init.method ?? 'GET'} ${url.pathname}`, url, status: response.status, said })
      return response
    },
    Intl: localIntl('en-GB', 'Europe/Berlin'),
  })
  const first = await page.drawFirst()
  const drawnAt = (html: string) => drawnOf(html, { address, asked })
  return {
    ...drawnAt(options.isWaiting ? first : await page.drawAnswered()),
    async askAgain() {
      await page.askAgain()
      return drawnAt(await page.drawAnswered())
    },
  }
}

/** Requests a service that has too much to do again, after the time that it says, as the page does later. */
async function fetchPatiently(url: URL, init: RequestInit): Promise<Response> {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, init)
    const retryAfter = response.headers.get('retry-after')
    if (response.status !== 503 || retryAfter === null || tries === MAX_TRIES) return response
    await sleep(Number(retryAfter) * 1_000)
  }
}

function goTo(address: URL, path: string): void {
  address.href = new URL(path, address).href
}

/** The call with the key of the owner, unless it says itself who asks. */
function signed({ credentials }: Called, init: RequestInit): RequestInit {
  const headers = new Headers(init.headers)
  if (!headers.has('Authorization')) headers.set('X-API-Key', credentials.api_key)
  return { ...init, headers }
}

/** What the page tells its script: of a share link what it shows, which the service alone knows. */
async function appOf({ baseUrl }: Called, { pathname }: URL): Promise<{ dataset: Record<string, string> }> {
  if (!pathname.startsWith('/share/')) {
    return { dataset: pathname.startsWith('/app/demo') ? {} : { csrf: 'of-the-page' } }
  }
  const page = await fetch(baseUrl + pathname, { headers: { Accept: 'text/html' } })
  const [app] = select(parseMarkup(await page.text()), '#app')
  const data = Object.entries(app?.attribs ?? {}).filter(([name]) => name.startsWith('data-'))
  return { dataset: Object.fromEntries(data.map(([name, value]) => [name.slice('data-'.length), value])) }
}
