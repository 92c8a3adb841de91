import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { logPath } from '#local/stream/log-file'
import { openStreamReader } from '#local/stream/reader'
import { type LocalStream, type LocalStreamOptions, MAX_HELD_BYTES, openStream } from '#local/stream/stream'
import { eventStreamContract } from '#test/contract/event-stream'
import { eventually } from '#test/support/eventually'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-stream-'))
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function open(dir: string, options: Partial<LocalStreamOptions> = {}): Promise<LocalStream> {
  const stream = await openStream(dir, { log: () => {}, ...options })
  cleanups.push(() => stream.close())
  return stream
}

function openReader(dir: string) {
  const reader = openStreamReader(dir)
  cleanups.push(() => reader.close())
  return reader
}

async function texts(stream: LocalStream): Promise<string[]> {
  return (await stream.read('local', null, 10_000)).map(({ data }) => Buffer.from(data).toString())
}

eventStreamContract('the SQLite log', async () => {
  const dir = folder()
  const stream = await openStream(dir, { log: () => {} })
  return { stream, close: () => stream.close() }
})

test('a log that is opened again has its records, and new records follow them', async () => {
  const dir = folder()
  const first = await open(dir)
  await first.append([Buffer.from('a'), Buffer.from('b')])
  await first.close()
  const second = await open(dir)
  await second.append([Buffer.from('c')])
  expect(await texts(second)).toEqual(['a', 'b', 'c'])
})

test('records that wait or are on their way to the disk have a bound, and room again once they are there', async () => {
  const stream = await open(folder())
  const megabyte = () => [new Uint8Array(1024 * 1024)]
  const taken: Promise<void>[] = []
  for (let bytes = 0; bytes <= MAX_HELD_BYTES; bytes += 1024 * 1024) taken.push(stream.append(megabyte()))
  const refused = { code: 'UNAVAILABLE', extras: { retryAfter: 5 } }
  await expect(stream.append(megabyte())).rejects.toMatchObject(refused)
  // Now the records are on their way, and no more of them wait.
  await nextTurn()
  await expect(stream.append(megabyte())).rejects.toMatchObject(refused)
  await Promise.all(taken)
  await stream.append(megabyte())
  expect(await stream.read('local', null, 1)).toHaveLength(1)
})

test('a close commits the waiting records first', async () => {
  const dir = folder()
  const stream = await open(dir)
  const appended = Promise.all([stream.append([Buffer.from('a')]), stream.append([Buffer.from('b')])])
  await stream.close()
  await appended
  expect(await texts(await open(dir))).toEqual(['a', 'b'])
})

test('an append to a closed log rejects with UNAVAILABLE', async () => {
  const stream = await open(folder())
  await stream.close()
  await expect(stream.append([Buffer.from('late')])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('new sequences are higher than all earlier ones, also after all records are pruned', async () => {
  const dir = folder()
  const stream = await open(dir)
  await stream.append(Array.from({ length: 1200 }, (_, i) => Buffer.from(`${i}`)))
  const last = (await stream.read('local', null, 2000)).at(-1)!.sequence
  const deleted = await openReader(dir).prune(last, Date.now() + 1000)
  expect(deleted).toBe(1199)
  await stream.close()
  const reopened = await open(dir)
  await reopened.append([Buffer.from('next')])
  expect((await reopened.read('local', null, 10)).map(({ sequence }) => sequence)).toEqual([
    last,
    String(Number(last) + 1),
  ])
})

test('pruning keeps records above the sequence and records after the time', async () => {
  const dir = folder()
  const stream = await open(dir)
  await stream.append(['a', 'b', 'c', 'd'].map(text => Buffer.from(text)))
  const reader = openReader(dir)
  const entries = await reader.read('local', null, 10)
  expect(await reader.prune(entries[3]!.sequence, Date.now() - 3_600_000)).toBe(0)
  expect(await reader.prune(entries[1]!.sequence, Date.now() + 1000)).toBe(2)
  expect(await texts(stream)).toEqual(['c', 'd'])
})

test('new records get sequences above the minimum of the caller', async () => {
  const stream = await open(folder(), { minSequence: '5000' })
  await stream.append([Buffer.from('a')])
  expect((await stream.read('local', null, 1))[0]!.sequence).toBe('5001')
})

test('a reader with its own connection reads each record once it is acknowledged', async () => {
  const dir = folder()
  const stream = await open(dir)
  const reader = openReader(dir)
  for (let i = 0; i < 20; i++) {
    await stream.append([Buffer.from(`${i}`)])
    expect(await reader.read('local', null, 100)).toHaveLength(i + 1)
  }
})

test('one read returns a limited number of bytes, and the next read continues', async () => {
  const stream = await open(folder())
  await stream.append(Array.from({ length: 40 }, () => Buffer.alloc(800_000)))
  const first = await stream.read('local', null, 1000)
  expect(first.length).toBeLessThan(40)
  const rest = await stream.read('local', first.at(-1)!.sequence, 1000)
  expect(rest[0]!.sequence).toBe(String(Number(first.at(-1)!.sequence) + 1))
})

test('an unknown shard has no records', async () => {
  const stream = await open(folder())
  await stream.append([Buffer.from('a')])
  expect(await stream.read('other', null, 10)).toEqual([])
})

test('a scrub leaves no byte of pruned and overwritten records in the files, and all other records stay', async () => {
  const dir = folder()
  const stream = await open(dir)
  const records = Array.from({ length: 60 }, (_, i) => randomBytes(i % 2 === 0 ? 100 : 9_000))
  for (const record of records) await stream.append([record])
  const entries = await stream.read('local', null, 100)
  const [pruned, others] = [records.slice(0, 20), records.slice(20)]
  const erased = others.filter((_, i) => i % 3 === 0 || i === others.length - 1)
  const kept = others.filter(record => !erased.includes(record))
  const foundOf = (searched: readonly Buffer[]) => {
    const files = ['', '-wal'].map(ending => readFileSync(logPath(dir) + ending))
    return searched.filter(record => files.some(file => file.includes(record.subarray(0, 90)))).length
  }
  const reader = openReader(dir)
  expect(foundOf(records)).toBe(60)
  await reader.prune(entries[19]!.sequence, Date.now() + 1_000)
  const erase = (data: Uint8Array) =>
    erased.some(record => record.equals(data)) ? Buffer.alloc(data.length - 8) : null
  // What the lake does not have stays as it is.
  await reader.overwrite(entries[40]!.sequence, erase)
  expect(await reader.read('local', entries[40]!.sequence, 100)).toEqual(entries.slice(41))
  await reader.overwrite(entries.at(-1)!.sequence, erase)
  expect(reader.scrub()).toBe(true)
  expect([foundOf(pruned), foundOf(erased), foundOf(kept)]).toEqual([0, 0, kept.length])
  const read = await reader.read('local', null, 100)
  expect(read.map(({ sequence }) => sequence)).toEqual(entries.slice(20).map(({ sequence }) => sequence))
  expect(read.filter(({ data }) => kept.some(record => record.equals(data)))).toHaveLength(kept.length)
  await stream.append([Buffer.from('after')])
  await stream.close()
  const codes: string[] = []
  const reopened = await open(dir, { log: code => codes.push(code) })
  expect([(await texts(reopened)).at(-1), codes]).toEqual(['after', []])
})

test('the time of the first record after a sequence is known', async () => {
  const dir = folder()
  const stream = await open(dir)
  const before = Date.now()
  await stream.append([Buffer.from('a')])
  await stream.append([Buffer.from('b')])
  const reader = openReader(dir)
  for (const after of [null, '1']) {
    expect(reader.appendedAfter(after)).toBeGreaterThanOrEqual(before)
    expect(reader.appendedAfter(after)).toBeLessThanOrEqual(Date.now())
  }
  expect(reader.appendedAfter('2')).toBeNull()
})

test('appends continue while a long log is pruned', async () => {
  const dir = folder()
  const stream = await open(dir)
  for (let i = 0; i < 20; i++) await stream.append(Array.from({ length: 500 }, () => Buffer.alloc(300)))
  const last = (await stream.read('local', null, 20_000)).at(-1)!.sequence
  const pruned = openReader(dir).prune(last, Date.now() + 1000)
  for (let i = 0; i < 200; i++) await stream.append([Buffer.from(`${i}`)])
  expect(await pruned).toBeGreaterThanOrEqual(9999)
  expect((await stream.read('local', last, 1000)).length).toBe(200)
})

async function middleSequence(stream: Pick<LocalStream, 'read'>): Promise<string> {
  const entries = await stream.read('local', null, 10_000)
  return entries[entries.length >> 1]!.sequence
}

test('a full log rejects appends with UNAVAILABLE and Retry-After, and accepts them again when it has space', async () => {
  const dir = folder()
  const codes: string[] = []
  const stream = await open(dir, { log: code => codes.push(code), maxPages: 64 })
  const stored: string[] = []
  let refusal: unknown = null
  for (let i = 0; refusal === null; i++) {
    const text = `${i}`.padEnd(3000, '.')
    await stream.append([Buffer.from(text)]).then(
      () => stored.push(text),
      error => {
        refusal = error
      },
    )
  }
  expect(refusal).toMatchObject({ code: 'UNAVAILABLE', status: 503, extras: { retryAfter: 5 } })
  expect(codes).toContain('STREAM_UNAVAILABLE')
  expect(await texts(stream)).toEqual(stored)
  const reader = openReader(dir)
  await reader.prune(await middleSequence(reader), Date.now() + 1000)
  await stream.append([Buffer.from('again')])
  expect((await texts(stream)).at(-1)).toBe('again')
})

test('appends to a log that another process has locked reject, and succeed after the lock is released', async () => {
  const dir = folder()
  const stream = await open(dir, { busyMs: 50 })
  const other = new DatabaseSync(logPath(dir))
  cleanups.push(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  await expect(stream.append([Buffer.from('a')])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  other.exec('ROLLBACK')
  await stream.append([Buffer.from('b')])
  expect(await texts(stream)).toEqual(['b'])
})

describe('when the commit thread ends', () => {
  /** Opens a log. `threads` are its commit threads, the newest last. */
  async function openWithThreads(dir = folder()) {
    const threads: Worker[] = []
    const note = (thread: Worker) => void threads.push(thread)
    process.on('worker', note)
    cleanups.push(() => process.off('worker', note))
    const logged: string[] = []
    const stream = await open(dir, { log: code => void logged.push(code) })
    return { stream, threads, logged, kill: () => threads.at(-1)?.terminate() }
  }

  /** Appends as a client does: again while it is UNAVAILABLE. */
  async function appendAgain(stream: LocalStream, text: string): Promise<void> {
    const isAppended = () =>
      stream.append([Buffer.from(text)]).then(
        () => true,
        error => {
          expect(error).toMatchObject({ code: 'UNAVAILABLE' })
          return false
        },
      )
    await eventually(async () => expect(await isAppended()).toBe(true))
  }

  test('it is started again, once, and appends go on behind the records that are there', async () => {
    const { stream, threads, logged, kill } = await openWithThreads()
    await stream.append([Buffer.from('a')])
    await kill()
    await Promise.all([appendAgain(stream, 'b'), appendAgain(stream, 'c')])
    await kill()
    await appendAgain(stream, 'd')
    const all = await stream.read('local', null, 100)
    expect(all.map(({ data }) => Buffer.from(data).toString()).toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(new Set(all.map(({ sequence }) => sequence)).size).toBe(4)
    expect(threads).toHaveLength(3)
    expect(logged).toContain('STREAM_UNAVAILABLE')
  })

  test('appends that were on their way are answered, and what was acknowledged is there', async () => {
    const { stream, kill } = await openWithThreads()
    const acknowledged: string[] = []
    const appends = Array.from({ length: 200 }, async (_, i) => {
      await new Promise(resolve => setImmediate(resolve))
      await stream.append([Buffer.from(`${i}`)]).then(
        () => acknowledged.push(`${i}`),
        error => expect(error).toMatchObject({ code: 'UNAVAILABLE' }),
      )
      if (i === 20) await kill()
    })
    await Promise.all(appends)
    await appendAgain(stream, 'last')
    expect(await texts(stream)).toEqual(expect.arrayContaining([...acknowledged, 'last']))
  })

  test('a close ends, whether the thread is there or not', async () => {
    const { stream, kill } = await openWithThreads()
    await kill()
    await stream.close()
    await expect(stream.append([Buffer.from('a')])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a log whose file is gone stays unavailable, and makes no new one', async () => {
    const dir = folder()
    const { stream, kill } = await openWithThreads(dir)
    await stream.append([Buffer.from('a')])
    for (const ending of ['', '-wal', '-shm']) rmSync(logPath(dir) + ending, { force: true })
    await kill()
    await expect(stream.append([Buffer.from('b')])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(existsSync(logPath(dir))).toBe(false)
  })
})
