import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { FolderError } from '#local/lock'

/**
 * How a copy keeps its files: as they are, or sealed with a key (AES-256-GCM). A sealed file is the mark, a
 * salt, the encrypted bytes, and the tag. Its key and nonce come from the key of the owner, the salt and the
 * path (HKDF), so no two files share them, and a file under another path is refused.
 */

/** What a copied file holds: its bytes before sealing. */
export type Content = { bytes: number; sha256: string }

export type Sealing = {
  /** Says by which key files are sealed, and nothing of the key; empty without one. */
  mark: string
  /** The name of a file in the copy. */
  nameOf(path: string): string
  /** Copies a file into the copy, synced. `path`: of the file in the data folder. */
  seal(from: string, to: string, path: string): Promise<Content>
  /** Copies a file out of the copy, synced. Rejects with FolderError when it is not what was sealed. */
  unseal(from: string, to: string, path: string): Promise<Content>
}

/** The end of the name of a sealed file. */
export const SUFFIX = '.sealed'
const MARK = Buffer.from('FFSEAL1\n')
const SALT_BYTES = 16
const TAG_BYTES = 16
const HEAD_BYTES = MARK.length + SALT_BYTES
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const KEY = /^[0-9a-f]{64}$/i

/** Whether the name is one of a sealed file. */
export function isSealed(name: string): boolean {
  return name.endsWith(SUFFIX)
}

/** Reads a key that `openssl rand -hex 32` has made. Throws FolderError for any other file. */
export function readKeyFile(path: string): KeyObject {
  const text = readText(path)
  if (KEY.test(text)) return createSecretKey(Buffer.from(text, 'hex'))
  throw new FolderError(`${path} is no key. Make one with: openssl rand -hex 32 > ${path}`, null)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new FolderError(`The key ${path} cannot be read (${(error as Error).message}).`, error)
  }
}

/** The sealing with a key; without one files stay as they are. */
export function openSealing(key: KeyObject | null): Sealing {
  if (key === null) {
    const copy = (from: string, to: string) => write(createReadStream(from), to)
    return { mark: '', nameOf: path => path, seal: copy, unseal: copy }
  }
  return {
    mark: Buffer.from(hkdfSync('sha256', key, '', 'mark', SALT_BYTES)).toString('hex'),
    nameOf: path => `${path}${SUFFIX}`,
    seal: (from, to, path) => write(createReadStream(from), to, sealed(key, path)),
    unseal: (from, to, path) => unsealFile(key, { from, to, path }),
  }
}

/** What a plain file holds. */
export async function contentOf(path: string): Promise<Content> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer)
    bytes += (chunk as Buffer).length
  }
  return { bytes, sha256: hash.digest('hex') }
}

type Change = (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>

/** Writes the chunks to a new file and syncs it. The content is what `chunks` has, before the change. */
async function write(chunks: AsyncIterable<Buffer>, to: string, change: Change = same): Promise<Content> {
  const hash = createHash('sha256')
  let bytes = 0
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  await pipeline(chunks, counted, change, createWriteStream(to, { mode: 0o600, flush: true }))
  return { bytes, sha256: hash.digest('hex') }
}

const same: Change = chunks => chunks

function sealed(key: KeyObject, path: string): Change {
  return async function* encrypt(chunks) {
    const salt = randomBytes(SALT_BYTES)
    const cipher = createCipheriv(CIPHER, ...keyAndNonce(key, salt, path))
    yield Buffer.concat([MARK, salt])
    for await (const chunk of chunks) yield cipher.update(chunk)
    yield cipher.final()
    yield cipher.getAuthTag()
  }
}

async function unsealFile(
  key: KeyObject,
  { from, to, path }: { from: string; to: string; path: string },
): Promise<Content> {
  const refuse = (cause: unknown) =>
    new FolderError(`${from} was sealed with another key, or is damaged. Use the key of this copy.`, cause)
  const { size } = await stat(from)
  const end = size - TAG_BYTES
  if (end < HEAD_BYTES) throw refuse(null)
  const [head, tag] = await readEnds(from, end)
  if (!head.subarray(0, MARK.length).equals(MARK)) throw refuse(null)
  const decipher = createDecipheriv(CIPHER, ...keyAndNonce(key, head.subarray(MARK.length), path))
  decipher.setAuthTag(tag)
  async function* decrypted() {
    if (end > HEAD_BYTES)
      for await (const chunk of createReadStream(from, { start: HEAD_BYTES, end: end - 1 }))
        yield decipher.update(chunk as Buffer)
    try {
      yield decipher.final()
    } catch (error) {
      throw refuse(error)
    }
  }
  return write(decrypted(), to)
}

async function readEnds(path: string, end: number): Promise<[head: Buffer, tag: Buffer]> {
  const file = await open(path)
  try {
    const head = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const tag = await file.read(Buffer.alloc(TAG_BYTES), 0, TAG_BYTES, end)
    return [head.buffer, tag.buffer]
  } finally {
    await file.close()
  }
}

function keyAndNonce(key: KeyObject, salt: Buffer, path: string): [key: Buffer, nonce: Buffer] {
  const derived = Buffer.from(hkdfSync('sha256', key, salt, path, KEY_BYTES + NONCE_BYTES))
  return [derived.subarray(0, KEY_BYTES), derived.subarray(KEY_BYTES)]
}
