import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { EDITION } from '#core/lake/model/edition'
import { deleteKeptStates, keepBeforeConversion } from '#local/state/keep-before-conversion'
import { openState } from '#local/state/state'

/** The copy of a state before its conversion; test/faults/editions.test.ts starts services on old folders. */

const root = mkdtempSync(join(tmpdir(), 'footfall-keep-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

async function keep(edition: number, prepare: (dataDir: string) => void = () => {}) {
  const dataDir = mkdtempSync(join(root, 'd-'))
  const fixture = resolve(import.meta.dirname, '../../fixtures/editions', String(edition), 'data')
  cpSync(fixture, dataDir, { recursive: true })
  prepare(dataDir)
  const lines: unknown[] = []
  const state = await openState(join(dataDir, 'state.db'))
  const kept = keepBeforeConversion(state, dataDir, (code, fields) => void lines.push([code, fields]))
  const failure = await kept.then(
    () => null,
    (error: Error) => error.message,
  )
  await state.close()
  return { dataDir, lines, failure, copy: join(dataDir, `state.db.edition-${edition}`) }
}

test('the state of an older edition is copied whole, and that of today is not', async () => {
  const { copy, lines, failure } = await keep(0)
  expect([failure, lines]).toEqual([null, [['STATE_KEPT', { edition: 0, path: copy }]]])
  const database = new DatabaseSync(copy, { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  expect(database.prepare('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' })
  expect(tables.length).toBeGreaterThan(0)
  database.close()
  const today = await keep(EDITION)
  expect([today.lines, existsSync(today.copy)]).toEqual([[], false])
})

test('a copy of an interrupted start stays, and half a copy is written anew', async () => {
  const whole = await keep(0, dataDir => writeFileSync(join(dataDir, 'state.db.edition-0'), 'whole'))
  expect(whole.lines).toEqual([])
  const half = await keep(0, dataDir => writeFileSync(join(dataDir, 'state.db.edition-0.unfinished'), 'half'))
  expect(half.lines).toHaveLength(1)
  expect(existsSync(`${half.copy}.unfinished`)).toBe(false)
})

test('a state that cannot be copied is not converted, and the text says what to do', async () => {
  const { failure, copy } = await keep(0, dataDir => {
    mkdirSync(join(dataDir, 'state.db.edition-0.unfinished', 'x'), { recursive: true })
  })
  expect(failure).toMatch(/could not be copied before its conversion .* Nothing was converted/)
  expect(existsSync(copy)).toBe(false)
})

test('copies are deleted after thirty days, because no erasure reaches them', async () => {
  const { dataDir, copy } = await keep(0)
  const now = Date.now()
  utimesSync(copy, (now - 29 * 86_400_000) / 1_000, (now - 29 * 86_400_000) / 1_000)
  deleteKeptStates(dataDir, { now: () => now })
  expect(existsSync(copy)).toBe(true)
  deleteKeptStates(dataDir, { now: () => now + 2 * 86_400_000 })
  expect([existsSync(copy), existsSync(join(dataDir, 'state.db'))]).toEqual([false, true])
})
