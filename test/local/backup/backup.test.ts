import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { joinLogs } from '#local/backup/copy-database'
import { copiesIn, readList } from '#local/backup/copy-list'
import type { Counted } from '#local/backup/count-days'
import { makeBackup } from '#local/backup/make-backup'
import { restoreCopy } from '#local/backup/restore-copy'
import { openSealing, readKeyFile } from '#local/backup/sealing'
import { verifyCopy } from '#local/backup/verify-copy'
import { FolderError, lockFolder } from '#local/lock'

/** Copies of a data folder that no service uses; test/faults has those of a running one, and kills. */

const root = mkdtempSync(join(tmpdir(), 'footfall-backup-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const newFolder = () => mkdtempSync(join(root, 'f-'))

let dataDir: string
let backups: string
beforeEach(() => {
  dataDir = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../../fixtures/editions/1/data'), dataDir, { recursive: true })
  backups = join(newFolder(), 'backups')
})

const nobody = async () => null
const backUp = (more: Partial<Parameters<typeof makeBackup>[0]> = {}) =>
  makeBackup({ dataDir, backups, keep: 7, key: null, readCounts: nobody, ...more })

function newKey(text = 'a1'.repeat(32)) {
  const path = join(newFolder(), 'key')
  writeFileSync(path, `${text}\n`)
  return readKeyFile(path)
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}

const aSegment = (folder: string) => filesOf(folder).find(path => path.startsWith('lake/segments/')) as string

test('a copy has every file, keys too, and shares what has not changed with the copy before', async () => {
  const first = await backUp()
  expect(filesOf(first.copy)).toEqual(
    [...filesOf(dataDir).filter(path => !/^(log\.high|lock)$/.test(path)), 'backup.json'].toSorted(),
  )
  expect(statSync(first.copy).mode & 0o077).toBe(0)
  expect(first.added).toEqual({ files: first.files, bytes: first.bytes })
  writeFileSync(join(dataDir, 'lake/hot-new.parquet'), 'new')
  // Repaired: the same size, and another content.
  const segment = aSegment(dataDir)
  writeFileSync(join(dataDir, segment), Buffer.alloc(statSync(join(dataDir, segment)).size))
  const second = await backUp()
  const sharing = filesOf(second.copy).filter(path => statSync(join(second.copy, path)).nlink > 1)
  expect(sharing).toEqual(filesOf(first.copy).filter(path => path.startsWith('lake/') && path !== segment))
  expect(readFileSync(join(second.copy, segment))).toEqual(readFileSync(join(dataDir, segment)))
  expect(readFileSync(join(first.copy, segment))).not.toEqual(readFileSync(join(dataDir, segment)))
})

test('only the newest copies stay, and files that are no copies', async () => {
  mkdirSync(backups)
  writeFileSync(join(backups, 'mine'), '')
  mkdirSync(join(backups, 'half.unfinished'))
  for (let i = 0; i < 3; i++) await backUp({ keep: 2 })
  expect(copiesIn(backups)).toHaveLength(2)
  expect(readdirSync(backups).filter(name => !name.startsWith('20'))).toEqual(['lock', 'mine'])
  expect(await verifyCopy({ from: backups, key: null })).toMatchObject({ problems: [] })
})

test('a restored copy is the data folder, and is refused where there is data', async () => {
  const { copy } = await backUp()
  const target = join(newFolder(), 'new', 'folder')
  await restoreCopy({ from: backups, dataDir: target, key: null })
  for (const path of filesOf(copy).filter(each => each !== 'backup.json'))
    expect(readFileSync(join(target, path)), path).toEqual(readFileSync(join(copy, path)))
  // A service on it may write in place what the copy keeps.
  expect(filesOf(target).filter(path => statSync(join(target, path)).nlink > 1)).toEqual([])
  await expect(restoreCopy({ from: copy, dataDir: target, key: null })).rejects.toThrow(
    /is not empty: it has .*--data/,
  )
  const other = newFolder()
  const lock = lockFolder(other)
  await expect(restoreCopy({ from: copy, dataDir: other, key: null })).rejects.toThrow(
    'Another Footfall service',
  )
  lock.release()
})

test('a sealed copy has nothing in plain text, and opens with its key alone', async () => {
  const key = newKey()
  const { copy } = await backUp({ key })
  const { api_key } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8'))
  for (const path of filesOf(copy)) {
    expect(path).toMatch(/\.sealed$/)
    const bytes = readFileSync(join(copy, path))
    expect(bytes.includes(api_key), path).toBe(false)
    expect(bytes.includes('SQLite format'), path).toBe(false)
  }
  const again = await backUp({ key })
  expect(again.added.files).toBeLessThan(again.files / 2)
  expect(await verifyCopy({ from: again.copy, key })).toMatchObject({
    problems: [],
    events: expect.any(Number),
  })
  const target = newFolder()
  await restoreCopy({ from: copy, dataDir: target, key })
  const segment = aSegment(dataDir)
  expect(readFileSync(join(target, segment))).toEqual(readFileSync(join(dataDir, segment)))
  const open = (each: typeof key | null) => restoreCopy({ from: copy, dataDir: newFolder(), key: each })
  await expect(open(newKey('b2'.repeat(32)))).rejects.toThrow('sealed with another key, or is damaged')
  await expect(open(null)).rejects.toThrow('--key-file')
  const plain = await backUp()
  await expect(restoreCopy({ from: plain.copy, dataDir: newFolder(), key })).rejects.toThrow(
    'Leave --key-file out',
  )
})

test('a sealed file under the name of another one is refused', async () => {
  const key = newKey()
  const { copy } = await backUp({ key })
  const [one, other] = filesOf(copy).filter(path => path.startsWith('lake/segments/'))
  renameSync(join(copy, one as string), join(copy, other as string))
  const { problems } = await verifyCopy({ from: copy, key })
  expect(problems.join('\n')).toMatch(
    /is missing[\s\S]*sealed with another key|sealed with another key[\s\S]*is missing/,
  )
})

test('a verification counts the events of each day, and names every file that is damaged or missing', async () => {
  const { copy } = await backUp()
  const good = await verifyCopy({ from: copy, key: null })
  expect(good).toMatchObject({ problems: [], isCounted: false, projects: 1 })
  expect(good.events).toBeGreaterThan(0)
  const segments = filesOf(copy).filter(path => path.startsWith('lake/segments/'))
  appendFileSync(join(copy, segments[0] as string), 'x')
  rmSync(join(copy, segments[1] as string))
  rmSync(join(copy, 'email-key'))
  const { problems } = await verifyCopy({ from: copy, key: null })
  expect(problems).toHaveLength(3)
  expect(problems.join('\n')).toContain(`${segments[0]} is damaged`)
  expect(problems.join('\n')).toContain(`${segments[1]} is missing`)
  expect(problems.join('\n')).toContain('email-key is missing')
  await expect(restoreCopy({ from: copy, dataDir: newFolder(), key: null })).rejects.toThrow(
    'Use another copy',
  )
  expect(readdirSync(backups).filter(name => name.endsWith('.unfinished'))).toEqual([])
})

test('a copy with other events than the service counted is not good, by project and day', async () => {
  const counts: Counted[] = []
  // The first copy counts nothing, and its verification tells the counts of today.
  const { copy } = await backUp()
  const list = await readList(copy, openSealing(null), copy)
  const project = (days: Record<string, number>): Counted => ({
    days: { pr_1: days },
    shards: { local: '999999', 'local-busy': null },
  })
  counts.push(project({ '2026-11-20': 5 }), project({ '2026-11-20': 7 }))
  const second = await backUp({ readCounts: async () => counts.shift() ?? null })
  expect(second.isCounted).toBe(true)
  expect((await readList(second.copy, openSealing(null), second.copy)).days).toEqual({
    pr_1: { '2026-11-20': [5, 7] },
  })
  const { problems } = await verifyCopy({ from: second.copy, key: null })
  expect(problems).toContain('pr_1, 2026-11-20: the copy has 0 events, and the service had 5 to 7.')
  expect(problems.length).toBeGreaterThan(1)
  expect(list.days).toBe(null)
})

test('records that the service deletes from its log while the lake is copied are in the copy', () => {
  const folder = newFolder()
  const newLog = (name: string, rows: [number, string][]) => {
    const database = new DatabaseSync(join(folder, name))
    database.exec('CREATE TABLE records (sequence INTEGER PRIMARY KEY, data TEXT)')
    for (const row of rows) database.prepare('INSERT INTO records VALUES (?, ?)').run(...row)
    database.close()
    return join(folder, name)
  }
  const earlier = newLog('earlier', [
    [1, 'deleted since'],
    [2, 'before the erasure'],
  ])
  const later = newLog('later', [
    [2, 'erased'],
    [3, 'new'],
  ])
  expect(joinLogs(earlier, later)).toBe('3')
  const database = new DatabaseSync(later)
  expect(
    database
      .prepare('SELECT data FROM records ORDER BY sequence')
      .all()
      .map(({ data }) => data),
  ).toEqual(['deleted since', 'erased', 'new'])
  database.close()
  expect(existsSync(earlier)).toBe(false)
})

test('what is no data folder, no copy or no key is named', async () => {
  const empty = newFolder()
  await expect(backUp({ dataDir: empty })).rejects.toThrow('has no state.db')
  expect(readdirSync(empty)).toEqual([])
  await expect(backUp({ backups: join(dataDir, 'copies') })).rejects.toThrow('inside the data folder')
  await expect(restoreCopy({ from: empty, dataDir: newFolder(), key: null })).rejects.toThrow('has no copy')
  expect(() => newKey('short')).toThrow('openssl rand -hex 32')
  const { copy } = await backUp()
  for (const text of ['', '{', '{"format":2}', '{"format":1,"files":[{"path":"../x"}]}']) {
    writeFileSync(join(copy, 'backup.json'), text)
    await expect(restoreCopy({ from: copy, dataDir: newFolder(), key: null })).rejects.toThrow(FolderError)
  }
  const lock = lockFolder(backups)
  await expect(backUp()).rejects.toThrow('Another backup or verification')
  lock.release()
})
