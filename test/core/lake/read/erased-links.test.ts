import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeLinks } from '#core/identity/links/link-rows'
import { userHash } from '#core/lake/erase/tombstones'
import { linksKey } from '#core/lake/model/keys'
import type { LakeRead } from '#core/lake/read/lake-read'
import { activity, events, sessions } from '#core/lake/read/relations'
import { sql } from '#core/sql/sql'
import { testProject } from '#test/support/account-fixtures'
import { addErasure } from '#test/support/add-erasure'
import type { BuiltLake } from '#test/support/build-lake'
import { request } from '#test/support/compactor-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'

/**
 * The fold removes the links of an erased person some seconds after the erasure, and their rows in the links
 * files up to a quarter of an hour later. Reads leave them out at once: a later event of an id is one of a
 * new person.
 */

const ERASED_AT = Date.parse('2026-11-28T12:00:00.300Z')
const BUCKET = 7
const project = testProject({ bucket: BUCKET, created_at: '2026-11-01T00:00:00Z' })

let folder: FolderLake
let built: BuiltLake
beforeAll(async () => {
  folder = await openFolderLake()
  const eventOf = (user_id: string, at: number) =>
    request({
      ...{ project: project.id, bucket: BUCKET, at },
      events: [{ user_id, session_id: `${user_id} ${at - ERASED_AT}` }],
    })
  const sent = (ms: number) =>
    ['anon', 'device', 'ada', 'tablet', 'bob'].map(user => eventOf(user, ERASED_AT + ms))
  built = await folder.build({ epochs: [[sent(-5)], [sent(1)]], compacted: 2 })
  const manifest = built.manifests.get(BUCKET) ?? expect.unreachable()
  const users = ['anon', 'device', 'ada'].map(userHash)
  built.manifests.set(
    BUCKET,
    await addErasure(folder.lake, manifest, { project_id: project.id, users, until: ERASED_AT }, ERASED_AT),
  )
})
afterAll(() => folder.close())

type Link = [previous: string, linked: string, at: number]

/** Writes links files and returns a read with them. Each file has its links, the oldest one first. */
async function readWith(...files: Link[][]): Promise<LakeRead> {
  const keys = files.map((_, i) => linksKey(BUCKET, { number: i + 1, writer: '0a' }))
  for (const [i, links] of files.entries()) {
    const rows = links.map(([previous_id, linked_id, ms]) => ({
      ...{ scope: 'own', previous_id, linked_id, user_id: linked_id, at: ERASED_AT + ms, seq: 1 },
    }))
    await folder.lake.put(keys[i] as string, encodeLinks(rows))
  }
  return {
    ...{ snapshot: await built.snapshot(BUCKET), project },
    ...{ from: ERASED_AT - 86_400_000, to: ERASED_AT + 60_000 },
    links: { scope: 'own', bucket: BUCKET, files: keys, hops: files.length - 1 },
  }
}

async function usersOf(read: LakeRead) {
  const rows = (statement: ReturnType<typeof sql>) => folder.engine.rows(statement)
  const list = (found: readonly Record<string, unknown>[]) => found.map(({ user }) => String(user)).toSorted()
  const events_ = await rows(sql`SELECT user_id AS "user" FROM ${events(read, ['user_id'])} AS each_event`)
  const counted = await rows(
    sql`SELECT count(DISTINCT user_ref) AS users FROM ${activity(read)} AS user_activity`,
  )
  const [session] = await rows(
    sql`SELECT count(DISTINCT user_key) AS users FROM ${sessions(read, ['user_key'])} AS each_session`,
  )
  return { events: list(events_), users: Number(counted[0]?.users), sessionUsers: Number(session?.users) }
}

const OTHERS = ['bob', 'bob']

test('later events of the ids of an erased person are of new persons, also while the links files have their links', async () => {
  const read = await readWith([
    ['anon', 'ada', -60_000],
    ['device', 'ada', 0],
    ['tablet', 'bob', -60_000],
  ])
  expect(await usersOf(read)).toEqual({
    events: ['ada', 'anon', 'bob', 'bob', 'bob', 'bob', 'device'].toSorted(),
    users: 4,
    sessionUsers: 4,
  })
})

test('a link over two files is left out as a whole', async () => {
  const read = await readWith([['anon', 'device', -60_000]], [['device', 'ada', -50_000]])
  expect((await usersOf(read)).events).toEqual(
    ['ada', 'anon', 'device', 'tablet', 'tablet', ...OTHERS].toSorted(),
  )
})

test('a link that came after the erasure counts, be it for an erased id or one that is new', async () => {
  const read = await readWith([['anon', 'ada', 1]], [['tablet', 'anon', 2]])
  expect((await usersOf(read)).events).toEqual(
    ['ada', 'ada', 'device', 'tablet', 'tablet', ...OTHERS]
      .map(user => (user === 'tablet' ? 'anon' : user))
      .toSorted(),
  )
})
