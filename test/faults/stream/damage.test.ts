import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { DAMAGED } from '#core/ingest/packing'
import { logPath, openLogFile, suspectPath } from '#local/stream/log-file'
import { openStreamReader } from '#local/stream/reader'
import { openStream } from '#local/stream/stream'
import { repeats, seed } from '#test/support/depth'

const folders: string[] = []
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true })
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-damage-'))
  folders.push(dir)
  return dir
}

/** A record that contains its own hash, so a test can tell whether it is whole. */
function record(i: number): Buffer {
  const body = Buffer.alloc([200, 900, 4000, 20_000, 90][i % 5]! + (i % 97), `${i},`)
  return Buffer.concat([createHash('sha256').update(body).digest(), body])
}

function isWhole(data: Uint8Array): boolean {
  return createHash('sha256').update(data.subarray(32)).digest().equals(data.subarray(0, 32))
}

const RECORDS = 600
/**
 * Folders with the log of a killed process: all records are in the write-ahead log, or half of them are in
 * the file.
 */
const layouts: Record<'in the write-ahead log' | 'in both files', string> = {
  'in the write-ahead log': '',
  'in both files': '',
}
const layoutFolders: string[] = []

async function createLayout(isCheckpointed: boolean): Promise<string> {
  const source = mkdtempSync(join(tmpdir(), 'footfall-log-'))
  const copy = mkdtempSync(join(tmpdir(), 'footfall-log-'))
  layoutFolders.push(source, copy)
  const append = async (from: number, until: number) => {
    const stream = await openStream(source, { log: () => {} })
    for (let i = from; i < until; i += 3) await stream.append([0, 1, 2].map(k => record(i + k)))
    return stream
  }
  if (isCheckpointed) await (await append(0, RECORDS / 2)).close()
  const stream = await append(isCheckpointed ? RECORDS / 2 : 0, RECORDS)
  for (const end of ['', '-wal']) copyFileSync(logPath(source) + end, logPath(copy) + end)
  await stream.close()
  return copy
}

beforeAll(async () => {
  layouts['in the write-ahead log'] = await createLayout(false)
  layouts['in both files'] = await createLayout(true)
  return () => {
    for (const dir of layoutFolders) rmSync(dir, { recursive: true, force: true })
  }
})

type Layout = keyof typeof layouts

function copyOf(layout: Layout): string {
  const dir = folder()
  for (const end of ['', '-wal']) copyFileSync(logPath(layouts[layout]) + end, logPath(dir) + end)
  return dir
}

/** Opens the log as the commit thread does. Returns its records and its highest sequence. */
async function repair(dir: string) {
  const { database, highest } = openLogFile(dir, 0, Date.now())
  const reader = openStreamReader(dir)
  const entries = await reader.read('local', null, 10_000)
  reader.close()
  database.close()
  return { entries, highest }
}

/** Opens the log, and appends to it. Returns the records before and after that, and the log lines. */
async function reopen(dir: string) {
  const logged: { code: string; fields: Record<string, unknown> | undefined }[] = []
  const stream = await openStream(dir, { log: (code, fields) => logged.push({ code, fields }) })
  const before = await stream.read('local', null, 10_000)
  await stream.append([record(1_000_000)])
  const after = await stream.read('local', before.at(-1)?.sequence ?? null, 10)
  await stream.close()
  return { before, after, logged }
}

describe.each(Object.keys(layouts) as Layout[])('a log with its records %s', layout => {
  test('is whole after a kill, and no file is set aside', async () => {
    const { before, logged } = await reopen(copyOf(layout))
    expect(before).toHaveLength(RECORDS)
    expect(logged).toEqual([])
  })

  test.each(['', '-wal'])('has only whole records after its file log.db%s is cut at any place', async end => {
    const random = createRandom(seed)
    for (let round = 0; round < 7 + repeats(1); round++) {
      const dir = copyOf(layout)
      const size = statSync(logPath(dir) + end).size
      const cut = [0, 1, 31, 100, 4095, 4096, size - 1][round] ?? random.below(size)
      truncateSync(logPath(dir) + end, Math.min(cut, size))
      const { entries, highest } = await repair(dir)
      const context = `cut ${end} at ${cut} of ${size}`
      expect(
        entries.every(({ data }) => isWhole(data)),
        context,
      ).toBe(true)
      expect(highest, context).toBeGreaterThanOrEqual(Number(entries.at(-1)?.sequence ?? 0))
    }
  })

  test('opens after any of its bytes are overwritten, and marks the records that are not whole', async () => {
    const random = createRandom(seed)
    for (let round = 0; round < repeats(4); round++) {
      const dir = copyOf(layout)
      const end = round % 2 === 0 ? '' : '-wal'
      const bytes = readFileSync(logPath(dir) + end)
      const at = round < 2 ? 0 : random.below(bytes.length)
      bytes.fill(round % 3 === 0 ? 0 : 0xa5, at, Math.min(bytes.length, at + 1 + random.below(9000)))
      writeFileSync(logPath(dir) + end, bytes)
      const { before, after } = await reopen(dir)
      expect(
        before.every(({ data }) => isWhole(data) || data[0] === DAMAGED),
        `${end} at ${at}`,
      ).toBe(true)
      expect(after, `${end} at ${at}`).toHaveLength(1)
    }
  })
})

test('when the file is cut in the middle, the records before the cut are kept and the old file is set aside', async () => {
  const dir = copyOf('in both files')
  rmSync(`${logPath(dir)}-wal`)
  const size = statSync(logPath(dir)).size
  truncateSync(logPath(dir), size / 2)
  const { before, after, logged } = await reopen(dir)
  expect(before.length).toBeGreaterThan(RECORDS / 8)
  expect(logged).toMatchObject([{ code: 'STREAM_DAMAGED', fields: { salvaged: before.length } }])
  const oldFiles = readdirSync(dir).filter(name => name.startsWith('log.damaged-'))
  expect(oldFiles).toHaveLength(1)
  expect(statSync(join(dir, oldFiles[0]!)).size).toBe(size / 2)
  expect(Number(after[0]!.sequence)).toBeGreaterThan(RECORDS)
})

test('the records of a write-ahead log are kept when the file beside it is empty', async () => {
  const dir = copyOf('in the write-ahead log')
  writeFileSync(logPath(dir), '')
  const { before, logged } = await reopen(dir)
  expect(before).toHaveLength(RECORDS)
  expect(logged.map(({ code }) => code)).toEqual(['STREAM_DAMAGED'])
})

test('new sequences are higher than those of lost records, also after a restart without appends', async () => {
  const dir = copyOf('in both files')
  truncateSync(logPath(dir), 20_000)
  await (await openStream(dir, { log: () => {} })).close()
  const { after } = await reopen(dir)
  expect(Number(after[0]!.sequence)).toBeGreaterThan(RECORDS)
})

test('salvaged records are kept when a crash happens before the new log replaces the old one', async () => {
  const dir = copyOf('in both files')
  truncateSync(`${logPath(dir)}-wal`, 100_000)
  truncateSync(logPath(dir), 100_000)
  const { before } = await reopen(dir)
  // The state after such a crash: the new log has its first name, and only a part of the old log is still in
  // place.
  copyFileSync(logPath(dir), `${logPath(dir)}.recovered`)
  writeFileSync(logPath(dir), 'the old file')
  const reopened = await reopen(dir)
  expect(reopened.before.length).toBe(before.length + 1)
  expect(existsSync(`${logPath(dir)}.recovered`)).toBe(false)
})

test('damage that a reader finds is repaired at the next start', async () => {
  const dir = copyOf('in both files')
  await (await openStream(dir, { log: () => {} })).close()
  const stream = await openStream(dir, { log: () => {} })
  const reader = openStreamReader(dir)
  const bytes = readFileSync(logPath(dir))
  bytes.fill(0, 8192, 200_000)
  writeFileSync(logPath(dir), bytes)
  await expect(reader.read('local', null, 10_000)).rejects.toThrow()
  expect(existsSync(suspectPath(dir))).toBe(true)
  reader.close()
  await stream.close()
  const { before, logged } = await reopen(dir)
  expect(before.length).toBeGreaterThan(0)
  expect(logged.map(({ code }) => code)).toEqual(['STREAM_DAMAGED', 'EVENTS_LOST'])
  expect(existsSync(suspectPath(dir))).toBe(false)
})
