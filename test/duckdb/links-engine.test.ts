import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeLinks, encodeLinks } from '#core/identity/links/link-rows'
import { compareLinks, type LinkRow } from '#core/identity/links/links'
import { createSmallLinks, type LinksEngine } from '#core/identity/links/links-engine'
import { linksKey } from '#core/lake/model/keys'
import { compareText } from '#core/text/compare-text'
import { createLinksEngine } from '#duckdb/links-engine'
import { startCompaction } from '#local/compaction/start'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'

let folder: FolderLake
beforeAll(async () => {
  folder = await openFolderLake()
})
afterAll(() => folder.close())

const link = (previous_id: string, linked_id: string, at: number, scope = 'proj_a'): LinkRow => ({
  ...{ scope, previous_id, user_id: linked_id, linked_id, at, seq: 1 },
})
const LEVELS: LinkRow[][] = [
  [link('a', 'b', 3), link("o'brien", '\u{1F600}', 1), link('a', 'x', 9, 'proj_b')],
  [link('b', 'c', 5), link('x', 'y', 2)],
  [link('c', 'd', 7, 'proj_b'), link('c', 'e', 8)],
]
const keys = LEVELS.map((_, i) => linksKey(7, { number: i + 1, writer: '0a' }))
const target = linksKey(7, { number: 9, writer: '0b' })
const byName = (rows: readonly LinkRow[]) =>
  rows.toSorted((a, b) => compareText(`${a.scope} ${a.previous_id}`, `${b.scope} ${b.previous_id}`))

async function stored(key: string): Promise<LinkRow[]> {
  return byName(await decodeLinks((await folder.lake.get(key)) as Uint8Array))
}

describe.each(['in memory', 'on DuckDB', 'in the process of compaction'])('links files %s', kind => {
  let engine: LinksEngine
  const stopping = new AbortController()
  afterAll(() => stopping.abort())
  beforeAll(async () => {
    const { lake } = folder
    const log = () => {}
    const dataDir = dirname(folder.lakeDir)
    const engines: Record<string, () => LinksEngine> = {
      'in memory': () => createSmallLinks(lake),
      'on DuckDB': () => createLinksEngine({ lake, tempDir: join(dataDir, 'temp'), log }),
      'in the process of compaction': () =>
        startCompaction({ dataDir, memoryMb: 128, priority: 'low' }, { log, signal: stopping.signal }).links,
    }
    engine = (engines[kind] as () => LinksEngine)()
    for (const [i, rows] of LEVELS.entries()) await lake.put(String(keys[i]), encodeLinks(rows))
  })

  test('are merged so that every row leads to its final id in its scope', async () => {
    expect(await engine.merge(keys, target)).toBe(7)
    const rows = await stored(target)
    expect(rows.map(({ scope, previous_id, linked_id }) => [scope, previous_id, linked_id])).toEqual([
      ['proj_a', 'a', 'e'],
      ['proj_a', 'b', 'e'],
      ['proj_a', 'c', 'e'],
      ['proj_a', "o'brien", '\u{1F600}'],
      ['proj_a', 'x', 'y'],
      ['proj_b', 'a', 'x'],
      ['proj_b', 'c', 'd'],
    ])
    expect(rows.map(({ user_id }) => user_id)).toEqual(['b', 'c', 'e', '\u{1F600}', 'y', 'x', 'd'])
  })

  test('return the links of scopes in the order of arrival, page by page, without known ones', async () => {
    const job = { keys, scopes: ['proj_a'], limit: 2, known: null }
    const first = await engine.next({ ...job, after: null })
    const rest = await engine.next({ ...job, after: first[1] as LinkRow, limit: 10 })
    const own = LEVELS.flat().filter(({ scope }) => scope === 'proj_a')
    expect([...first, ...rest]).toEqual(own.toSorted(compareLinks))
    const known = { keys: [String(keys[2])], scope: 'proj_b' }
    const others = await engine.next({ ...job, after: null, limit: 10, known })
    expect(others.map(({ previous_id }) => previous_id)).toEqual(["o'brien", 'x', 'a', 'b'])
  })

  test('name all ids that lead to final ids of a scope', async () => {
    const idsOf = async (finals: string[]) =>
      (await engine.idsOf(keys, 'proj_a', finals)).toSorted(compareText)
    expect(await idsOf(['e'])).toEqual(['a', 'b', 'c', 'e'])
    expect(await idsOf(['y', '\u{1F600}', 'd'])).toEqual(['d', "o'brien", 'x', 'y', '\u{1F600}'])
  })

  test('lose the rows of a person until a time, and those of a dropped scope', async () => {
    const persons = [{ scope: 'proj_a', ids: new Set(['a', 'b']), until: 3 }]
    expect(await engine.remove(String(keys[0]), target, persons, [])).toEqual({ removed: 1, left: 2 })
    expect((await stored(target)).map(({ previous_id }) => previous_id)).toEqual(["o'brien", 'a'])
    // The link from `b` arrived later.
    expect(await engine.remove(String(keys[1]), target, persons, [])).toBeNull()
    expect(await engine.remove(String(keys[2]), target, [], ['proj_b', 'proj_a'])).toEqual({
      removed: 2,
      left: 0,
    })
  })
})
