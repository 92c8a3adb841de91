import { globSync, readFileSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')

/** What the code of one machine puts into the data folder. `dir` is that folder in `local/stream/`. */
const written = globSync(['local/*.ts', 'local/!(lake)/**/*.ts'], { cwd: root }).flatMap(path =>
  [...read(path).matchAll(/\bjoin\((?:dataDir|DATA_DIR|dir|settings\.DATA_DIR), '([^'/]+)'/g)].map(
    ([, name = '']) => name,
  ),
)

/** The first column of the table, with `<ms>` as any text. */
function documented(): string[] {
  const [, afterHead = ''] = read('docs/one-machine.md').split(/^\| path .*$/m)
  const [table = ''] = afterHead.split('\n\n')
  return [...table.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, name = '']) => name.replace('<ms>', '*')),
  )
}

test('docs/one-machine.md says what each file and folder of the data folder is', () => {
  expect(written).toEqual(expect.arrayContaining(['state.db', 'lake', 'log.high', 'feedback.jsonl']))
  const names = documented()
  expect(names).toEqual(expect.arrayContaining(['log.db', 'log.db-wal', 'merging']))
  expect(written.filter(file => !names.some(name => matchesGlob(file, name)))).toEqual([])
})
