import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { highPath } from '#local/stream/high-file'
import { logPath } from '#local/stream/log-file'
import { openStreamReader } from '#local/stream/reader'
import { openStream } from '#local/stream/stream'
import { repeats, seed } from '#test/support/depth'

const folders: string[] = []
afterAll(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true })
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-loss-'))
  folders.push(dir)
  return dir
}

const RECORDS = 400
const FILES = ['log.db', 'log.db-wal', 'log.high']

/** Copies the files of a log, as a kill of its process leaves them. */
function copyLog(from: string, to = folder()): string {
  for (const name of FILES) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name))
    else rmSync(join(to, name), { force: true })
  }
  return to
}

async function appendRecords(stream: Awaited<ReturnType<typeof openStream>>, from: number, until: number) {
  for (let i = from; i < until; i += 4) {
    await stream.append([0, 1, 2, 3].map(k => Buffer.alloc(50 + ((i + k) % 5) * 1_500, `${i + k},`)))
  }
}

/**
 * The log of a killed process: a quarter of its records is in the file, the others are in the write-ahead
 * log.
 */
let killed: string

beforeAll(async () => {
  const source = folder()
  const first = await openStream(source, { log: () => {} })
  await appendRecords(first, 0, RECORDS / 4)
  await first.close()
  const second = await openStream(source, { log: () => {} })
  await appendRecords(second, RECORDS / 4, RECORDS)
  killed = copyLog(source)
  await second.close()
})

type Line = { code: string; fields?: Record<string, unknown> | undefined }

/** Opens and closes the log. Returns the sequences of its records, and the log lines. */
async function restart(dir: string, taken = 0) {
  const lines: Line[] = []
  const log = (code: string, fields?: Record<string, unknown>) => lines.push({ code, fields })
  const stream = await openStream(dir, { log, minSequence: String(taken) })
  const sequences = (await stream.read('local', null, 100_000)).map(({ sequence }) => Number(sequence))
  await stream.close()
  return { sequences, lines, codes: lines.map(({ code }) => code) }
}

/** Appends a record and returns its sequence. */
async function appendOne(dir: string): Promise<number> {
  const stream = await openStream(dir, { log: () => {} })
  await stream.append([Buffer.from('new')])
  const last = (await stream.read('local', null, 100_000)).at(-1)
  await stream.close()
  return Number(last?.sequence)
}

const walOf = (dir: string) => `${logPath(dir)}-wal`

test('a write-ahead log that is cut at any place or emptied loses no record without a log line', async () => {
  const random = createRandom(seed)
  const size = statSync(walOf(killed)).size
  for (let round = 0; round < 4 + repeats(3); round++) {
    const dir = copyLog(killed)
    const cut = [0, 31, 5_000, size - 1][round] ?? random.below(size)
    truncateSync(walOf(dir), cut)
    const { sequences, lines } = await restart(dir)
    const lost = RECORDS - sequences.length
    expect(lost, `cut at ${cut}`).toBeGreaterThan(0)
    expect(lines, `cut at ${cut}`).toMatchObject([
      { code: 'EVENTS_LOST', fields: { records: lost, after: sequences.length, upTo: RECORDS } },
    ])
    expect((await restart(dir)).lines, 'the loss is reported once').toEqual([])
    expect(await appendOne(dir)).toBeGreaterThan(RECORDS)
  }
})

test('records after a damaged place of the write-ahead log are kept, and the others are reported', async () => {
  const random = createRandom(seed)
  const size = statSync(walOf(killed)).size
  let keptAfterDamage = 0
  for (let round = 0; round < repeats(3); round++) {
    const dir = copyLog(killed)
    // Without the highest acknowledged sequence the frames after the damaged one still show the loss.
    const hasHighFile = round % 2 === 0
    if (!hasHighFile) rmSync(highPath(dir))
    const bytes = readFileSync(walOf(dir))
    const at = round === 0 ? 0 : Math.floor(size / 4) + random.below(Math.floor(size / 2))
    bytes.fill(0xa5, at, at + 4 + random.below(20_000))
    writeFileSync(walOf(dir), bytes)
    const { sequences, lines } = await restart(dir)
    const context = `damage at ${at} of ${size}`
    expect(lines[0]?.code, context).toBe('STREAM_DAMAGED')
    const lost = RECORDS - sequences.length
    expect(lines[1]?.fields?.records ?? 0, context).toBe(lost)
    expect(sequences.at(-1), context).toBe(RECORDS)
    keptAfterDamage += Number(lines[0]?.fields?.salvaged)
    expect((await restart(dir)).lines, context).toEqual([])
  }
  expect(keptAfterDamage).toBeGreaterThan(0)
})

test('records of a damaged file are reported as lost when they are not in the lake', async () => {
  const dir = copyLog(killed)
  rmSync(walOf(dir))
  truncateSync(logPath(dir), 60_000)
  const inLake = 20
  const { sequences, codes, lines } = await restart(dir, inLake)
  expect(codes).toEqual(['STREAM_DAMAGED', 'EVENTS_LOST'])
  const kept = sequences.filter(sequence => sequence > inLake).length
  expect(lines[1]?.fields?.records).toBe(RECORDS - inLake - kept)
})

describe('no loss is reported', () => {
  test('after a clean stop and after a kill', async () => {
    const dir = copyLog(killed)
    expect(await restart(dir)).toMatchObject({ lines: [], sequences: { length: RECORDS } })
    expect((await restart(dir)).lines).toEqual([])
  })

  test('after a kill between a commit and the write of its sequence', async () => {
    const dir = copyLog(killed)
    writeFileSync(highPath(dir), readFileSync(highPath(copyLog(await firstCommits(40)))))
    expect(await restart(dir)).toMatchObject({ lines: [], sequences: { length: RECORDS } })
  })

  test.each([
    ['is missing', null],
    ['is empty', ''],
    ['holds zeros', '\0'.repeat(26)],
    ['has a wrong digit', '0000000000000900 12345678\n'],
  ])('when the file of the highest sequence %s', async (_, content) => {
    const dir = copyLog(killed)
    if (content === null) rmSync(highPath(dir))
    else writeFileSync(highPath(dir), content)
    expect((await restart(dir)).lines).toEqual([])
    await appendOne(dir)
    expect(readFileSync(highPath(dir), 'latin1')).toMatch(/^0{13}401 [0-9a-f]{8}\n$/)
  })

  test('after an unfinished commit, whose pages are at the end of the write-ahead log', async () => {
    const dir = copyLog(killed)
    // The last commit was not acknowledged, and a power cut has damaged its first frame.
    writeFileSync(highPath(dir), readFileSync(highPath(copyLog(await firstCommits(RECORDS - 4)))))
    const bytes = readFileSync(walOf(dir))
    const lastCommit = framesOfLastCommit(bytes)
    bytes.fill(0, lastCommit, lastCommit + 24)
    writeFileSync(walOf(dir), bytes)
    expect(await restart(dir)).toMatchObject({ lines: [], sequences: { length: RECORDS - 4 } })
  })

  test('after the log was pruned and after its process was killed then', async () => {
    const source = copyLog(killed)
    const stream = await openStream(source, { log: () => {} })
    const reader = openStreamReader(source)
    await reader.prune(String(RECORDS), Date.now() + 1_000)
    const dir = copyLog(source)
    reader.close()
    await stream.close()
    for (const copy of [dir, source]) expect((await restart(copy, RECORDS)).lines).toEqual([])
  })

  test('after commits that failed on a full log', async () => {
    const source = folder()
    const stream = await openStream(source, { log: () => {}, maxPages: 30 })
    const failures: unknown[] = []
    for (let i = 0; i < 60; i++) {
      await stream.append([Buffer.alloc(3_000)]).catch(error => failures.push(error))
    }
    expect(failures.length).toBeGreaterThan(10)
    const dir = copyLog(source)
    await stream.close()
    for (const copy of [dir, source]) expect((await restart(copy)).lines).toEqual([])
  })

  test('when an older log is restored and the lake has all later records', async () => {
    const dir = copyLog(await firstCommits(100))
    copyFileSync(highPath(killed), highPath(dir))
    const { lines } = await restart(dir, RECORDS)
    expect(lines).toEqual([{ code: 'STREAM_BEHIND', fields: { end: 100, taken: RECORDS } }])
    expect((await restart(dir, RECORDS)).lines).toEqual([])
    expect(await appendOne(dir)).toBeGreaterThan(RECORDS)
  })
})

test('a log that ends before the lake is reported, also when it was cut at a commit and the highest sequence is unknown', async () => {
  const dir = copyLog(killed)
  rmSync(highPath(dir))
  truncateSync(walOf(dir), 0)
  expect((await restart(dir, RECORDS - 10)).lines).toEqual([
    { code: 'STREAM_BEHIND', fields: { end: RECORDS / 4, taken: RECORDS - 10 } },
  ])
})

/** The log of a killed process that has appended the first records. */
async function firstCommits(records: number): Promise<string> {
  const source = folder()
  const stream = await openStream(source, { log: () => {} })
  await appendRecords(stream, 0, records)
  const copy = copyLog(source)
  await stream.close()
  return copy
}

/** Offset of the first frame of the last commit in a write-ahead log of one round. */
function framesOfLastCommit(wal: Buffer): number {
  const commits: number[] = []
  for (let at = 32; at + 4_120 <= wal.length; at += 4_120) {
    if (wal.readUInt32BE(at + 4) !== 0) commits.push(at)
  }
  return (commits.at(-2) as number) + 4_120
}
