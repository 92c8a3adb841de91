import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { EDITION } from '#core/lake/model/edition'
import { eventually } from '#test/support/eventually'
import {
  cleanUp,
  newFolder,
  runFailingService,
  type Service,
  startService,
} from '#test/support/service-process'
import { readJson } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

/**
 * The data folders of test/fixtures/editions/ with the code of today. That the code of a release refuses the
 * folders of later ones is tested here too, by a number that no version knows yet.
 */

const EDITIONS = resolve(import.meta.dirname, '../fixtures/editions')
const editions = readdirSync(EDITIONS).toSorted()
/** A person with events, whom a test erases. In all folders it is a final id with one more id. */
const PERSON = { user_id: 'user_a1', other: 'anon_a000000001' }
const EVENTS = 5

afterEach(cleanUp)

type Answer = { path: string; body?: object; answer: Record<string, unknown> }

function copyOf(edition: string | number): string {
  const dataDir = join(newFolder(), 'data')
  cpSync(join(EDITIONS, String(edition), 'data'), dataDir, { recursive: true })
  return dataDir
}

async function call(service: Service, method: string, path: string, body?: object) {
  const { baseUrl, credentials } = service
  const response = await fetch(baseUrl + path, {
    method,
    headers: { 'X-API-Key': credentials.api_key },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

async function expectAnswers(service: Service, edition: string): Promise<void> {
  const answers: Answer[] = JSON.parse(readFileSync(join(EDITIONS, edition, 'answers.json'), 'utf8'))
  for (const { path, body, answer } of answers) {
    const response = await call(service, body === undefined ? 'GET' : 'POST', path, body)
    expect(response, path).toMatchObject({ status: 200, body: answer })
  }
}

async function allEvents(service: Service): Promise<{ user_id: string; event_id: string }[]> {
  const path = '/events?project=demo&since=2026-10-01&limit=1000'
  return (await readJson<{ events: { user_id: string; event_id: string }[] }>(service, path)).events
}

test('there is a folder of today’s edition, and one of each before it', () => {
  expect(editions).toEqual(Array.from({ length: EDITION + 1 }, (_, i) => String(i)))
})

test.each(editions)(
  'the folder of edition %s gives the answers of its day, also when its hot events are in segments; it takes events, and a person is erased',
  async edition => {
    const dataDir = copyOf(edition)
    const env = { EPOCH_SECONDS: '1' }
    const first = await startService({ dataDir, env })
    const isConverted = Number(edition) < EDITION
    expect(existsSync(join(dataDir, `state.db.edition-${edition}`))).toBe(isConverted)
    await expectAnswers(first, edition)
    await eventually(() => expect(first.output()).toContain('"code":"EPOCH_COMPACTED"'))
    await expectAnswers(first, edition)
    expect(await first.stop()).toBe(0)

    const second = await startService({ dataDir, env })
    await expectAnswers(second, edition)
    const before = await allEvents(second)
    const ids = await sendEvents(EVENTS, { credentials: second.credentials, prefix: `of-${edition}` })
    await eventually(async () => {
      const stored = (await allEvents(second)).map(({ event_id }) => event_id)
      expect(stored).toHaveLength(before.length + ids.length)
      expect(stored).toEqual(expect.arrayContaining(ids))
    })
    const isOfPerson = ({ user_id }: { user_id: string }) => Object.values(PERSON).includes(user_id)
    expect(before.filter(isOfPerson).length).toBeGreaterThan(0)
    const { status } = await call(second, 'DELETE', `/users/${PERSON.other}?project=demo`)
    expect(status).toBe(202)
    const after = await allEvents(second)
    expect(after.filter(isOfPerson)).toEqual([])
    expect(after).toHaveLength(before.length + ids.length - before.filter(isOfPerson).length)
    await eventually(() => expect(second.output()).toContain('"code":"SEGMENT_REWRITTEN"'))
    expect(await allEvents(second)).toEqual(after)
    expect(second.output()).not.toMatch(/LAKE_BEHIND|LAKE_RESTORED|JOB_FAILED|STATE_RE/)
  },
)

/** The files of a folder with a hash of each. The lock is made anew by each start. */
function filesOf(dataDir: string): Record<string, string> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name !== 'lock')
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(
    files.toSorted().map(path => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]),
  )
}

test('a folder of a newer edition does not start, the text says what to do, and the folder stays as it is', async () => {
  const dataDir = copyOf(EDITION)
  const state = new DatabaseSync(join(dataDir, 'state.db'))
  // A scrub moves the items from one table to the other.
  const changes = ['items_a', 'items_b'].map(table =>
    state
      .prepare(
        `UPDATE ${table} SET item = json_set(item, '$.edition', ?) WHERE pk = '$footfall' AND sk = '$lake_1'`,
      )
      .run(EDITION + 1),
  )
  expect(changes.map(({ changes }) => changes).toSorted()).toEqual([0, 1])
  state.close()
  const before = filesOf(dataDir)
  const { code, output } = await runFailingService({ dataDir })
  expect(code).toBe(1)
  expect(output).toContain(`Footfall cannot start. The data folder ${dataDir} cannot be used.`)
  expect(output).toMatch(/is of edition \d+, and this version .* Start the version that wrote the data/)
  expect(filesOf(dataDir)).toEqual(before)
})
