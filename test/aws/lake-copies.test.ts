import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLakeCopies } from '#aws/lake-copies'

/** Ten bytes for each key that begins with `here`, and what was asked for. */
function openCopies(maxBytes: number, maxFiles = 100) {
  const folder = mkdtempSync(join(tmpdir(), 'footfall-copies-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const asked: string[] = []
  const failing = new Set<string>()
  async function get(key: string): Promise<Uint8Array | null> {
    asked.push(key)
    if (failing.delete(key)) throw new Error('S3 is away')
    return key.startsWith('here') ? Buffer.from(key.padEnd(10)) : null
  }
  const copies = createLakeCopies({ lake: { get }, folder, maxBytes, maxFiles })
  async function use(...keys: string[]): Promise<void> {
    const held = await copies.hold(keys)
    held?.release()
  }
  const onDisk = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap(each =>
      each.isFile() ? each.name : [],
    )
  return { ...copies, use, folder, asked, failing, onDisk }
}

test('an object is fetched once, also for reads at the same time, and its copy has its bytes', async () => {
  const { hold, use, folder, asked, sizeOf } = openCopies(1_000)
  const [first, second] = await Promise.all([hold(['here/a', 'here/b']), hold(['here/b', 'here/b'])])
  expect([first?.bytes, second?.bytes]).toEqual([20, 10])
  first?.release()
  second?.release()
  await use('here/a')
  expect(asked).toEqual(['here/a', 'here/b'])
  expect(readFileSync(join(folder, 'here/b'), 'utf8')).toBe('here/b    ')
  expect([sizeOf('here/a'), sizeOf('here/c')]).toEqual([10, undefined])
})

test('the copies that were used last stay, so many bytes of them', async () => {
  const { use, asked, onDisk } = openCopies(30)
  await use('here1', 'here2', 'here3')
  await use('here1')
  await use('here4')
  expect(onDisk().toSorted()).toEqual(['here1', 'here3', 'here4'])
  await use('here2')
  expect(asked).toEqual(['here1', 'here2', 'here3', 'here4', 'here2'])
  expect(onDisk().toSorted()).toEqual(['here1', 'here2', 'here4'])
})

test('so many copies stay at most, however small they are', async () => {
  const { use, onDisk } = openCopies(1_000_000, 100)
  for (let i = 0; i < 150; i++) await use(`here${i}`)
  expect(onDisk()).toHaveLength(100)
  expect(onDisk()).not.toContain('here49')
})

test('what a read holds stays above the bound, until it is released', async () => {
  const { hold, use, folder, onDisk } = openCopies(20)
  const held = await hold(['here1', 'here2', 'here3'])
  await use('here4')
  expect(['here1', 'here2', 'here3'].filter(key => existsSync(join(folder, key)))).toHaveLength(3)
  held?.release()
  expect(onDisk()).toHaveLength(2)
})

test('a read of an object that the lake does not have gets none, and the next one asks again', async () => {
  const { hold, asked, onDisk } = openCopies(1_000)
  expect(await hold(['here1', 'gone'])).toBeNull()
  expect(await hold(['gone'])).toBeNull()
  expect(asked).toEqual(['here1', 'gone', 'gone'])
  expect(onDisk()).toEqual(['here1'])
})

test('a read rejects as the lake does, and the next one fetches what did not come', async () => {
  const { hold, asked, failing } = openCopies(1_000)
  failing.add('here2')
  await expect(hold(['here1', 'here2', 'here3'])).rejects.toThrow('S3 is away')
  expect((await hold(['here1', 'here2', 'here3']))?.bytes).toBe(30)
  expect(asked).toEqual(['here1', 'here2', 'here3', 'here2'])
})
