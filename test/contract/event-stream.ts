import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { EventStream, StreamEntry } from '#core/ports'

/** What the suite needs of an implementation: a new, empty stream, and its end. */
export type OpenedStream = { stream: EventStream; close(): Promise<void> }

/** The promises of the port EventStream (core/ports.ts), run on every implementation. */
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
    test('what was appended is read back, byte by byte', () =>
      withStream(async stream => {
        const records = [1, 10, 3000, 5000, 100_000, 899_999].map(size => randomBytes(size))
        await stream.append(records)
        expect(asTexts(await readAll(stream))).toEqual(asTexts(records.map(data => ({ sequence: '', data }))))
      }))

    test('appending nothing is no error', () =>
      withStream(async stream => {
        await stream.append([])
        expect(await readAll(stream)).toEqual([])
      }))

    test('many appends at once are all there, each once', () =>
      withStream(async stream => {
        const records = Array.from({ length: 300 }, (_, i) => Buffer.from(`record ${i}`))
        await Promise.all(records.map(record => stream.append([record])))
        expect(asTexts(await readAll(stream))).toEqual(asTexts(records.map(data => ({ sequence: '', data }))))
      }))

    test('sequences ascend within a shard, and reading goes on after any of them', () =>
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

    test('records that are appended later come after those read before', () =>
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

/** Shards have no order among each other, so contents are compared as sets. */
function asTexts(entries: readonly StreamEntry[]): string[] {
  return entries.map(({ data }) => Buffer.from(data).toString('base64')).toSorted()
}
