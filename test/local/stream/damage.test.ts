import { createHash, randomInt } from 'node:crypto'
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
import { DAMAGED } from '#core/ingest/record'
import { logPath, openLogFile, suspectPath } from '#local/stream/log-file'
import { openStreamReader } from '#local/stream/reader'
import { openStream } from '#local/stream/stream'

const folders: string[] = []
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true })
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-damage-'))
  folders.push(dir)
  return dir
}

/** A record of any size whose content proves itself. */
function record(i: number): Buffer {
  const body = Buffer.alloc([200, 900, 4000, 20_000, 90][i % 5]! + (i % 97), `${i},`)
  return Buffer.concat([createHash('sha256').update(body).digest(), body])
}

function isWhole(data: Uint8Array): boolean {
  return createHash('sha256').update(data.subarray(32)).digest().equals(data.subarray(0, 32))
}

const RECORDS = 600
/** The files of a log as a killed process leaves them: all in the write-ahead log, or half of it in the file. */
const layouts: Record<'in the write-ahead log' | 'in both files', string> = {
  'in the write-ahead log': '',
  'in both files': '',
}
const kept: string[] = []

async function makeLayout(checkpointed: boolean): Promise<string> {
  const source = mkdtempSync(join(tmpdir(), 'footfall-log-'))
  const copy = mkdtempSync(join(tmpdir(), 'footfall-log-'))
  kept.push(source, copy)
  const append = async (from: number, until: number) => {
    const stream = await openStream(source, { log: () => {} })
    for (let i = from; i < until; i += 3) await stream.append([0, 1, 2].map(k => record(i + k)))
    return stream
  }
  if (checkpointed) await (await append(0, RECORDS / 2)).close()
  const stream = await append(checkpointed ? RECORDS / 2 : 0, RECORDS)
  for (const end of ['', '-wal']) copyFileSync(logPath(source) + end, logPath(copy) + end)
  await stream.close()
  return copy
}

beforeAll(async () => {
  layouts['in the write-ahead log'] = await makeLayout(false)
  layouts['in both files'] = await makeLayout(true)
  return () => {
    for (const dir of kept) rmSync(dir, { recursive: true, force: true })
  }
})

type Layout = keyof typeof layouts

function copyOf(layout: Layout): string {
  const dir = folder()
  for (const end of ['', '-wal']) copyFileSync(logPath(layouts[layout]) + end, logPath(dir) + end)
  return dir
}

/** Opens what is left as the commit thread does, and returns what it holds and the sequence it goes on above. */
async function mend(dir: string) {
  const { database, highest } = openLogFile(dir, 0, Date.now())
  const reader = openStreamReader(dir)
  const entries = await reader.read('local', null, 10_000)
  reader.close()
  database.close()
  return { entries, highest }
}

/** Opens what is left, appends to it, and returns what it holds and what was logged. */
async function reopen(dir: string) {
  const logged: { code: string; fields: Record<string, unknown> | undefined }[] = []
  const stream = await openStream(dir, { log: (code, fields) => logged.push({ code, fields }) })
  const before = await stream.read('local', null, 10_000)
  await stream.append([record(1_000_000)])
  const after = await stream.read('local', before.at(-1)?.sequence ?? null, 10)
  await stream.close()
  return { before, after, logged }
}

describe.each(Object.keys(layouts) as Layout[])('a log whose records lie %s', layout => {
  test('is whole after a kill: nothing is set aside', async () => {
    const { before, logged } = await reopen(copyOf(layout))
    expect(before).toHaveLength(RECORDS)
    expect(logged).toEqual([])
  })

  test.each(['', '-wal'])(
    'opens after its file log.db%s was cut anywhere, with whole records only, and goes on',
    async end => {
      for (let round = 0; round < 12; round++) {
        const dir = copyOf(layout)
        const size = statSync(logPath(dir) + end).size
        const cut = [0, 1, 31, 100, 4095, 4096, size - 1][round] ?? randomInt(size)
        truncateSync(logPath(dir) + end, Math.min(cut, size))
        const { entries, highest } = await mend(dir)
        const context = `cut ${end} at ${cut} of ${size}`
        expect(
          entries.every(({ data }) => isWhole(data)),
          context,
        ).toBe(true)
        expect(highest, context).toBeGreaterThanOrEqual(Number(entries.at(-1)?.sequence ?? 0))
      }
    },
  )

  test('opens after any bytes of it were overwritten, and marks records that are not whole', async () => {
    for (let round = 0; round < 12; round++) {
      const dir = copyOf(layout)
      const end = round % 2 === 0 ? '' : '-wal'
      const bytes = readFileSync(logPath(dir) + end)
      const at = round < 4 ? 0 : randomInt(bytes.length)
      bytes.fill(round % 3 === 0 ? 0 : 0xa5, at, Math.min(bytes.length, at + randomInt(1, 9000)))
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

test('of a file cut in the middle all records before the cut are kept, and the old file is set aside', async () => {
  const dir = copyOf('in both files')
  rmSync(`${logPath(dir)}-wal`)
  const size = statSync(logPath(dir)).size
  truncateSync(logPath(dir), size / 2)
  const { before, after, logged } = await reopen(dir)
  expect(before.length).toBeGreaterThan(RECORDS / 8)
  expect(logged).toMatchObject([{ code: 'STREAM_DAMAGED', fields: { salvaged: before.length } }])
  const aside = readdirSync(dir).filter(name => name.startsWith('log.damaged-'))
  expect(aside).toHaveLength(1)
  expect(statSync(join(dir, aside[0]!)).size).toBe(size / 2)
  expect(Number(after[0]!.sequence)).toBeGreaterThan(RECORDS)
})

test('an empty file beside a write-ahead log does not cost the records in it', async () => {
  const dir = copyOf('in the write-ahead log')
  writeFileSync(logPath(dir), '')
  const { before, logged } = await reopen(dir)
  expect(before).toHaveLength(RECORDS)
  expect(logged.map(({ code }) => code)).toEqual(['STREAM_DAMAGED'])
})

test('sequences stay above those lost, also when the service is restarted before anything is appended', async () => {
  const dir = copyOf('in both files')
  truncateSync(logPath(dir), 20_000)
  await (await openStream(dir, { log: () => {} })).close()
  const { after } = await reopen(dir)
  expect(Number(after[0]!.sequence)).toBeGreaterThan(RECORDS)
})

test('a crash after the new log was made, before it is in place, does not lose what was salvaged', async () => {
  const dir = copyOf('in both files')
  truncateSync(`${logPath(dir)}-wal`, 100_000)
  truncateSync(logPath(dir), 100_000)
  const { before } = await reopen(dir)
  // As the crash leaves it: the new log under its first name, of the old one only a part still in place.
  copyFileSync(logPath(dir), `${logPath(dir)}.recovered`)
  writeFileSync(logPath(dir), 'the old file')
  const again = await reopen(dir)
  expect(again.before.length).toBe(before.length + 1)
  expect(existsSync(`${logPath(dir)}.recovered`)).toBe(false)
})

test('damage that a reader meets is mended at the next start', async () => {
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
  expect(logged.map(({ code }) => code)).toEqual(['STREAM_DAMAGED'])
  expect(existsSync(suspectPath(dir))).toBe(false)
})
