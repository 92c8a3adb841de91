import { describe, expect, test } from 'vitest'
import { forEachConcurrent } from '#core/async/concurrency'
import type { Lake } from '#core/ports'

/**
 * Tests the rules of the port Lake (core/ports.ts) on one implementation. Each call of `open` returns an
 * empty one.
 */
export function lakeContract(name: string, open: () => Promise<Lake>): void {
  describe(`${name} as a Lake`, () => {
    const bytes = (text: string) => new TextEncoder().encode(text)

    test('get returns the bytes of the last put', async () => {
      const lake = await open()
      await lake.put('hot/epoch=1/a-1-2.parquet', bytes('one'))
      await lake.put('hot/epoch=1/a-1-2.parquet', bytes('two, longer'))
      expect(Buffer.from((await lake.get('hot/epoch=1/a-1-2.parquet')) as Uint8Array).toString()).toBe(
        'two, longer',
      )
    })

    test('an empty object and an object of a megabyte are stored without loss', async () => {
      const lake = await open()
      const large = new Uint8Array(1_000_000).map((_, i) => i % 251)
      await lake.put('empty', new Uint8Array(0))
      await lake.put('large', large)
      expect((await lake.get('empty'))?.length).toBe(0)
      expect(Buffer.compare(Buffer.from((await lake.get('large')) as Uint8Array), Buffer.from(large))).toBe(0)
    })

    test('get returns at least the wanted bytes of the end of an object, and no more than it has', async () => {
      const lake = await open()
      await lake.put('k/empty', new Uint8Array(0))
      await lake.put('k/ten', bytes('0123456789'))
      const end = async (last: number) => Buffer.from((await lake.get('k/ten', last)) ?? []).toString()
      expect((await end(3)).endsWith('789')).toBe(true)
      expect([await end(10), await end(11)]).toEqual(['0123456789', '0123456789'])
      expect((await lake.get('k/empty', 5))?.length).toBe(0)
      expect(await lake.get('k/none', 5)).toBeNull()
    })

    test('get returns null for an unknown key', async () => {
      expect(await (await open()).get('hot/epoch=1/nothing.parquet')).toBeNull()
    })

    test('list returns the keys with the prefix in ascending order, with sizes', async () => {
      const lake = await open()
      for (const key of ['warm/epoch=10/x', 'warm/epoch=1/y', 'warm/epoch=1/x', 'hot/epoch=1/x'])
        await lake.put(key, bytes(key))
      expect((await lake.list('warm/')).map(object => object.key)).toEqual([
        'warm/epoch=1/x',
        'warm/epoch=1/y',
        'warm/epoch=10/x',
      ])
      expect((await lake.list('warm/epoch=1')).map(object => object.key)).toHaveLength(3)
      expect((await lake.list('warm/epoch=1/')).map(object => object.key)).toHaveLength(2)
      expect(await lake.list('hot/')).toMatchObject([{ key: 'hot/epoch=1/x', size: 'hot/epoch=1/x'.length }])
      expect(await lake.list('cold/')).toEqual([])
    })

    test('pages of a listing have all of its objects, once and in order, whatever the names are', async () => {
      const lake = await open()
      const names = ['a-b', 'a.b', 'a/b', 'a/b-c', 'a/c/c', 'a0', 'aa/x', 'b']
      const many = Array.from({ length: 1_100 }, (_, i) => `d${i % 7}/${i}`)
      const keys = [...names, ...many].map(name => `page/${name}`)
      await forEachConcurrent(keys, 16, key => lake.put(key, bytes(key)))
      await lake.put('pages', bytes('of another prefix'))
      const pages: string[][] = []
      for (let after: string | null = null; ; ) {
        const { objects, next } = await lake.listPage('page/', after)
        pages.push(objects.map(({ key }) => key))
        if (next === null) break
        after = next
      }
      expect(pages.flat()).toEqual(keys.toSorted((a, b) => (a < b ? -1 : 1)))
      expect(pages.map(({ length }) => length)).toEqual([1_000, keys.length - 1_000])
      const keysAfter = async (key: string) =>
        (await lake.listPage('page/a', key)).objects.map(object => object.key)
      expect(await keysAfter('page/a/')).toEqual([
        'page/a/b',
        'page/a/b-c',
        'page/a/c/c',
        'page/a0',
        'page/aa/x',
      ])
      expect(await keysAfter('page/a/c/')).toEqual(['page/a/c/c', 'page/a0', 'page/aa/x'])
      expect(await keysAfter('page/a/c/z')).toEqual(['page/a0', 'page/aa/x'])
      expect(await lake.listPage('none/', null)).toEqual({ objects: [], next: null })
    })

    test('delete removes only the given keys, and ignores unknown keys', async () => {
      const lake = await open()
      await lake.put('hot/epoch=1/a', bytes('a'))
      await lake.put('hot/epoch=1/b', bytes('b'))
      await lake.delete(['hot/epoch=1/a', 'hot/epoch=1/never'])
      expect(await lake.get('hot/epoch=1/a')).toBeNull()
      expect((await lake.list('')).map(object => object.key)).toEqual(['hot/epoch=1/b'])
    })

    test('list returns every object that is not deleted, while others are being deleted', async () => {
      const lake = await open()
      const remainingKeys = Array.from(
        { length: 30 },
        (_, i) => `warm/epoch=${i + 100}/bucket=1/events.parquet`,
      )
      const deletedKeys = Array.from({ length: 60 }, (_, i) => `warm/epoch=${i}/bucket=1/events.parquet`)
      for (const key of [...remainingKeys, ...deletedKeys]) await lake.put(key, bytes('x'))
      const deletion = (async () => {
        for (const key of deletedKeys) await lake.delete([key])
      })()
      const listings = await Promise.all(Array.from({ length: 40 }, () => lake.list('warm/')))
      await deletion
      for (const listing of listings) {
        const listedKeys = new Set(listing.map(({ key }) => key))
        expect(remainingKeys.filter(key => !listedKeys.has(key))).toEqual([])
      }
    })

    test('when several puts of one key run at the same time, one of the objects is stored whole', async () => {
      const lake = await open()
      const candidates = ['a', 'b', 'c', 'd'].map(letter => letter.repeat(50_000))
      await Promise.all(candidates.map(text => lake.put('k/one', bytes(text))))
      expect(candidates).toContain(Buffer.from((await lake.get('k/one')) as Uint8Array).toString())
      expect(await lake.list('k/')).toHaveLength(1)
    })
  })
}
