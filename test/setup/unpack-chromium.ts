import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'
import { inject } from 'vitest'
import { onceARun } from './once-a-run.ts'

/** The folder of the npm package with the packed files. The package exports only its code. */
const PACKAGE = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', '..')

export type Chromium = {
  executable: string
  /**
   * Environment variables that point to the unpacked libraries and fonts, which a bare machine does not have.
   */
  env: Record<string, string>
}

/**
 * Returns the Chromium of @sparticuz/chromium. The first run of a user unpacks it, and later runs find it
 * there. The package's own function unpacks to one fixed path, where a second user or a second process cannot
 * use it. The package is for Linux on x64; elsewhere, CHROMIUM_PATH names an installed Chromium.
 */
export async function unpackChromium(): Promise<Chromium> {
  const installed = process.env.CHROMIUM_PATH
  if (installed) return { executable: installed, env: {} }
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'))
  const home = join(inject('cacheFolder'), `footfall-chromium-${version}-${userInfo().uid}`)
  if (!existsSync(home)) await onceARun('chromium', () => unpackTo(home))
  return {
    executable: join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_FILE: join(home, 'fonts.conf') },
  }
}

async function unpackTo(home: string): Promise<void> {
  const staging = await mkdtemp(`${home}.`)
  try {
    const executable = join(staging, 'chromium')
    await decompress('chromium.br', executable)
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
    // Another test run on this machine may have unpacked the same version meanwhile. Its files are as good as
    // ours.
    if (!existsSync(home)) throw error
  }
}

/**
 * Unpacks `name`, a compressed archive. The archive is a file first: tar closes a pipe before it has read all
 * of it.
 */
async function untar(name: string, folder: string): Promise<void> {
  const archive = `${folder}.tar`
  await decompress(name, archive)
  await mkdir(folder)
  await promisify(execFile)('tar', ['-x', '--no-same-owner', '-f', archive, '-C', folder])
  await rm(archive)
}

function decompress(name: string, path: string): Promise<void> {
  const packed = createReadStream(join(PACKAGE, 'bin', name))
  return pipeline(packed, createBrotliDecompress(), createWriteStream(path))
}
