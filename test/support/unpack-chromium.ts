import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'

/** The folder of the npm package that holds the packed files; it exports only its code. */
const PACKAGE = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', '..')

export type Chromium = {
  executable: string
  /** What it needs of the environment: a bare machine has neither its libraries nor a font. */
  env: Record<string, string>
}

/**
 * Unpacks the Chromium of @sparticuz/chromium for this user, once a version, and tells where it is. The package's own
 * way unpacks to one fixed place, readable by its first user only and half written for a second process. The package
 * is for Linux on x64; elsewhere CHROMIUM_PATH names an installed Chromium.
 */
export async function unpackChromium(): Promise<Chromium> {
  const installed = process.env.CHROMIUM_PATH
  if (installed) return { executable: installed, env: {} }
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const home = join(tmpdir(), `footfall-chromium-${version}-${userInfo().uid}`)
  if (!existsSync(home)) await unpackTo(home)
  return {
    executable: join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_FILE: join(home, 'fonts.conf') },
  }
}

async function unpackTo(home: string): Promise<void> {
  const staging = await mkdtemp(`${home}.`)
  try {
    const executable = join(staging, 'chromium')
    await pipeline(packed('chromium.br'), createBrotliDecompress(), createWriteStream(executable))
    await chmod(executable, 0o755)
    await untar('al2023.tar.br', join(staging, 'al2023'))
    await untar('fonts.tar.br', join(staging, 'fonts'))
    await writeFile(
      join(staging, 'fonts.conf'),
      `<?xml version="1.0"?>
<fontconfig>
  <dir>${join(home, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(home, 'font-cache')}</cachedir>
</fontconfig>
`,
    )
    await rename(staging, home)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another process was first: its files are as good as ours.
    if (!existsSync(home)) throw error
  }
}

function packed(name: string) {
  return createReadStream(join(PACKAGE, 'bin', name))
}

async function untar(name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const tar = spawn('tar', ['-x', '--no-same-owner', '-C', folder], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(tar, 'exit')
  await pipeline(packed(name), createBrotliDecompress(), tar.stdin)
  const [code] = await ended
  if (code !== 0) throw new Error(`tar of ${name} ended with ${code}`)
}
