import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

const BLOCK = 512
/** Types of entries: a file (also in its old form), and a folder. */
const [FILE, OLD_FILE, FOLDER] = ['0', '\0', '5']

/**
 * Unpacks a tar archive of plain files and folders. A function on AWS has no `tar` command. Throws for an
 * archive with other entries, and for a path that leads out of `folder`.
 */
export async function untar(archive: Buffer, folder: string): Promise<void> {
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + BLOCK)
    const name = normalize(textOf(header, 0, 100))
    const size = Number.parseInt(textOf(header, 124, 12), 8)
    const type = String.fromCharCode(header[156] ?? 0)
    if (name.startsWith('..') || name.startsWith('/') || Number.isNaN(size)) {
      throw new Error(`the archive has an entry that cannot be unpacked: ${name}`)
    }
    const path = join(folder, name)
    if (type === FOLDER) await mkdir(path, { recursive: true })
    else if (type === FILE || type === OLD_FILE) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, archive.subarray(at + BLOCK, at + BLOCK + size))
      await chmod(path, Number.parseInt(textOf(header, 100, 8), 8) & 0o755)
    } else throw new Error(`the archive has an entry of the type ${type}`)
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
}

function textOf(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field
    .subarray(0, end < 0 ? length : end)
    .toString()
    .trim()
}
