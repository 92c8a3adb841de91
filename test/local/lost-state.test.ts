import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderError } from '#local/lock'
import { assertNoData, assertStateFile } from '#local/lost-state'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'footfall-lost-state-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function write(path: string, text = 'x'): void {
  mkdirSync(dirname(join(dataDir, path)), { recursive: true })
  writeFileSync(join(dataDir, path), text)
}

const DATA = ['log.db', 'log-busy/log.db', 'credentials.json', 'lake/hot/epoch=1/local-1-1.parquet']

test.each(DATA)('a folder that has %s and no state is refused, and the text names it', path => {
  write(path)
  const part = path.startsWith('lake/') ? 'lake' : path
  expect(() => assertStateFile(dataDir)).toThrow(FolderError)
  expect(() => assertStateFile(dataDir)).toThrow(join(dataDir, part))
  write('state.db', '')
  expect(() => assertStateFile(dataDir)).toThrow(/Put state\.db back/)
  write('state.db')
  expect(() => assertStateFile(dataDir)).not.toThrow()
  expect(() => assertNoData(dataDir)).toThrow(FolderError)
})

test.each([
  ['nothing', []],
  ['what a first start writes before the state', ['lock', 'merging/1/x', 'lake/hot/']],
  ['the keys of other things', ['email-key', 'sign-in-code', 'feedback.jsonl']],
])('a folder with %s is a new one', (_, paths) => {
  for (const path of paths) {
    if (path.endsWith('/')) mkdirSync(join(dataDir, path), { recursive: true })
    else write(path)
  }
  expect(() => assertStateFile(dataDir)).not.toThrow()
  expect(() => assertNoData(dataDir)).not.toThrow()
})
