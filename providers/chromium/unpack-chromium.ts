import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliDecompress, createBrotliDecompress } from 'node:zlib'
import { untar } from './untar.ts'

export type Chromium = {
  executable: string
  /** Environment variables that point to its libraries and fonts, which a bare machine does not have. */
  env: Record<string, string>
}

const decompress = promisify(brotliDecompress)

/**
 * Returns the Chromium whose packed files are in `packed`. The first call unpacks it to `home`, 204 MB, and
 * takes some seconds; later calls find it there. `home` must be a folder that no other user can write. The
 * package's own function unpacks to one fixed path, where any user may have put a file before.
 */
export async function unpackChromium(packed: string, home: string): Promise<Chromium> {
  if (!existsSync(home)) await unpackTo(packed, home)
  return {
    executable: join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_FILE: join(home, 'fonts.conf') },
  }
}

/** A killed process leaves a folder with another name, and nothing at `home`. */
async function unpackTo(packed: string, home: string): Promise<void> {
  await mkdir(dirname(home), { recursive: true })
  const staging = await mkdtemp(`${home}.`)
  try {
    const executable = join(staging, 'chromium')
    await pipeline(
      createReadStream(join(packed, 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(executable),
    )
    await chmod(executable, 0o755)
    for (const name of ['al2023', 'fonts']) {
      await untar(await decompress(await readFile(join(packed, `${name}.tar.br`))), join(staging, name))
    }
    await writeFile(join(staging, 'fonts.conf'), fontsOf(home))
    await rename(staging, home)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Another process may have unpacked the same files meanwhile. They are as good as ours.
    if (!existsSync(home)) throw error
  }
}

function fontsOf(home: string): string {
  return `<?xml version="1.0"?>
<fontconfig>
  <dir>${join(home, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(home, 'font-cache')}</cachedir>
</fontconfig>
`
}
