import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { EventStream, StreamEntry } from '#core/ports'

/** A new, empty stream of the implementation under test, and a function that closes it. */
export type OpenedStream = { stream: EventStream; close(): Promise<void> }

/** Tests the rules of the port EventStream (core/ports.ts) on one implementation. */
export function eventStreamContract(name: string, open: () => Promise<OpenedStream>): void {
  async function withStream(run: (stream: EventStream) => Promise<void>) {
    const { stream, close } = await open()
    try {
      await run(stream)
    } finally {
      await close()
    }
  }

  describe(`${name} as an EventStream`, () => {
    test('a reader gets every appended record, byte for byte', () =>
      withStream(async stream => {
        const records = [1, 10, 3000, 5000, 100_000, 899_999].map(size => randomBytes(size))
        await stream.append(records)
        expect(asTexts(await readAll(stream))).toEqual(asTexts(records.map(data => ({ sequence: '', data }))))
      }))

    test('an append of no records succeeds', () =>
      withStream(async stream => {
        await stream.append([])
        expect(await readAll(stream)).toEqual([])
      }))

    test('appends at the same time are all stored, each once', () =>
      withStream(async stream => {
        const records = Array.from({ length: 300 }, (_, i) => Buffer.from(`record ${i}`))
        await Promise.all(records.map(record => stream.append([record])))
        expect(asTexts(await readAll(stream))).toEqual(asTexts(records.map(data => ({ sequence: '', data }))))
      }))

    test('sequences ascend within a shard, and a read can continue after any of them', () =>
      withStream(async stream => {
        for (let i = 0; i < 10; i++) await stream.append([Buffer.from(`${i}`), Buffer.from(`${i}+`)])
        for (const shard of await stream.shards()) {
          const all = await stream.read(shard, null, 1000)
          const numbers = all.map(({ sequence }) => BigInt(sequence))
          expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? -1 : 1)))
          expect(new Set(numbers).size).toBe(numbers.length)
          for (const [i, { sequence }] of all.entries()) {
            expect(await stream.read(shard, sequence, 3)).toEqual(all.slice(i + 1, i + 4))
          }
        }
      }))

    test('later records come after earlier ones', () =>
      withStream(async stream => {
        await stream.append([Buffer.from('early')])
        const before = await readAll(stream)
        await stream.append([Buffer.from('late')])
        const after = await readAll(stream)
        expect(asTexts(after)).toEqual(asTexts([...before, { sequence: '', data: Buffer.from('late') }]))
      }))
  })
}

async function readAll(stream: EventStream): Promise<StreamEntry[]> {
  const entries: StreamEntry[] = []
  for (const shard of await stream.shards()) {
    for (let after: string | null = null; ; ) {
      const page = await stream.read(shard, after, 100)
      if (page.length === 0) break
      entries.push(...page)
      after = page.at(-1)!.sequence
    }
  }
  return entries
}

/** Sorts the contents, because records of different shards have no order. */
function asTexts(entries: readonly StreamEntry[]): string[] {
  return entries.map(({ data }) => Buffer.from(data).toString('base64')).toSorted()
}
