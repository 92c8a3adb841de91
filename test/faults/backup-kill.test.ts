import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CopyList, copiesIn, readList } from '#local/backup/copy-list'
import { makeBackup } from '#local/backup/make-backup'
import { restoreCopy } from '#local/backup/restore-copy'
import { openSealing, readKeyFile } from '#local/backup/sealing'
import { assertStateFile } from '#local/lost-state'
import { cleanUp, newFolder } from '#test/support/service-process'

/** SIGKILL at ten places of a backup and of a restoration, from the first change of the disk to the last. */

const main = resolve(import.meta.dirname, '../../local/backup/main.ts')
const killer = pathToFileURL(resolve(import.meta.dirname, 'kill-at.mjs')).href
const PLACES = 10

let dataDir: string
let keyFile: string
beforeAll(() => {
  dataDir = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../fixtures/editions/1/data'), dataDir, { recursive: true })
  keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, 'ab'.repeat(32))
})
afterAll(cleanUp)

/** Runs the program; null: it was killed. */
function run(args: readonly string[], env: Record<string, string>): Promise<number | null> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', killer, main, ...args],
    { env: { ...process.env, MALLOC_ARENA_MAX: '2', ...env }, stdio: ['ignore', 'ignore', 'inherit'] },
  )
  return new Promise(done => child.once('exit', done))
}

/** Ten numbers of changes, from the first to the last of a whole run. */
async function placesOf(args: readonly string[]): Promise<number[]> {
  const file = join(newFolder(), 'count')
  expect(await run(args, { KILL_COUNT: file })).toBe(0)
  const changes = Number(readFileSync(file, 'utf8'))
  expect(changes).toBeGreaterThan(4 * PLACES)
  return Array.from({ length: PLACES }, (_, i) => 1 + Math.round((i * (changes - 1)) / (PLACES - 1)))
}

const unsealed = openSealing(null)

/** The paths of the files that are not as the list says. */
function damagedOf(folder: string, { files }: CopyList): string[] {
  return files
    .filter(({ path, sha256 }) => {
      if (!existsSync(join(folder, path))) return true
      return (
        createHash('sha256')
          .update(readFileSync(join(folder, path)))
          .digest('hex') !== sha256
      )
    })
    .map(({ path }) => path)
}

test('a backup that is killed leaves whole copies alone, and the next one is whole', async () => {
  const backups = newFolder()
  const options = { dataDir, backups, keep: 7, key: null, readCounts: async () => null }
  // The first copy has all files, and the later ones, which are killed, share them.
  await makeBackup(options)
  const places = await placesOf(['backup', backups, '--data', dataDir])
  for (const place of places) {
    const code = await run(['backup', backups, '--data', dataDir], {
      KILL_AT: String(place),
    })
    expect(code, `killed at ${place}`).toBe(null)
    for (const copy of copiesIn(backups))
      expect(damagedOf(copy, await readList(copy, unsealed, copy)), copy).toEqual([])
    const { copy } = await makeBackup(options)
    const list = await readList(copy, unsealed, copy)
    expect(damagedOf(copy, list)).toEqual([])
    expect(list.files.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['state.db', 'log.db', 'api-key', 'email-key']),
    )
    expect(readdirSync(backups).filter(name => name.endsWith('.unfinished'))).toEqual([])
    expect(copiesIn(backups).at(-1)).toBe(copy)
  }
  // What a killed run left of the note of the last backup, the next run replaces.
  expect(await run(['backup', backups, '--data', dataDir], {})).toBe(0)
  expect(readdirSync(dataDir).filter(name => name.endsWith('.unfinished'))).toEqual([])
})

test.each(['plain', 'sealed'])(
  'a restoration of a %s copy that is killed starts no service until it has run again',
  async kind => {
    const backups = newFolder()
    const key = kind === 'sealed' ? readKeyFile(keyFile) : null
    const { copy } = await makeBackup({ dataDir, backups, keep: 1, key, readCounts: async () => null })
    const list = await readList(copy, openSealing(key), newFolder())
    const flags = key === null ? [] : ['--key-file', keyFile]
    const places = await placesOf(['restore', copy, '--data', newFolder(), ...flags])
    // The sealed copy differs in its reads alone.
    for (const place of key === null ? places : places.slice(4, 6)) {
      const target = newFolder()
      const code = await run(['restore', copy, '--data', target, ...flags], { KILL_AT: String(place) })
      expect(code, `killed at ${place}`).toBe(null)
      const hasBegun = list.files.some(({ path }) => existsSync(join(target, path)))
      const isWhole = damagedOf(target, list).length === 0
      if (hasBegun && !isWhole)
        expect(() => assertStateFile(target)).toThrow('Run the same footfall restore again')
      await restoreCopy({ from: copy, dataDir: target, key }).catch(error => {
        // It had ended but for the last sync.
        expect([isWhole, String(error)]).toEqual([true, expect.stringContaining('is not empty')])
      })
      expect(damagedOf(target, list), `killed at ${place}`).toEqual([])
      expect(() => assertStateFile(target)).not.toThrow()
      expect(readdirSync(target).filter(name => /unfinished|restoring/.test(name))).toEqual([])
    }
  },
)
