import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ApiError } from '#core/errors'
import type { Project } from '#core/projects/project'
import { createProjects } from '#core/projects/store'
import type { StateTable } from '#core/state-table'
import { createUsage } from '#core/usage/store'
import { BUCKETS } from '#schemas/columns'
import { Crashed, crashingAfter } from '#test/support/crashing-state'
import { openTestState, type TestState } from '#test/support/state'

const account = { id: 'acc_1' }
const other = { id: 'acc_2' }

let state: TestState
let now: number
let projects: ReturnType<typeof createProjects>

/** The projects as one process sees them: each has its own cache of tokens. */
function processOn(table: StateTable = state) {
  return createProjects({ ...table, clock: { now: () => now }, usage: createUsage(state) })
}

beforeAll(async () => {
  state = await openTestState()
})
beforeEach(async () => {
  await state.empty()
  now = Date.parse('2026-11-21T10:00:00.000Z')
  projects = processOn()
})
afterAll(() => state.close())

async function made(name: string, allowed_origins?: string, owner = account): Promise<Project> {
  now += 1
  return (await projects.create({ account: owner, name, allowed_origins })).project
}

function fails(code: string) {
  return expect.objectContaining({ name: 'ApiError', code })
}

async function names(owner = account): Promise<string[]> {
  return (await projects.list(owner.id)).map(({ name }) => name)
}

describe('create', () => {
  test('makes a project with an id, a token and a bucket of its own', async () => {
    const { project, existing } = await projects.create({
      account,
      name: 'shop',
      allowed_origins: 'shop.com',
    })
    expect(existing).toBe(false)
    expect(project).toEqual({
      id: expect.stringMatching(/^proj_[0-9a-f]{16}$/),
      account_id: 'acc_1',
      name: 'shop',
      project_token: expect.stringMatching(/^aat_[0-9a-f]{48}$/),
      allowed_origins: 'https://shop.com',
      link_domains: [],
      source_scan_id: null,
      bucket: expect.any(Number),
      created_at: '2026-11-21T10:00:00.000Z',
      deleted_at: null,
    })
    expect(await projects.byId(project.id)).toEqual(project)
    expect(await projects.byToken(project.project_token)).toEqual(project)
  })

  test('buckets are spread over all there are', async () => {
    const buckets = new Set<number>()
    for (let i = 0; i < 60; i++) buckets.add((await made(`p${i}`)).bucket)
    expect(buckets.size).toBeGreaterThan(25)
    expect([...buckets].every(bucket => bucket >= 0 && bucket < BUCKETS)).toBe(true)
  })

  test('of a name that the account has, gives that project, whatever origins are sent', async () => {
    const first = await made('shop', 'a.com')
    expect(await projects.create({ account, name: 'shop', allowed_origins: 'b.com' })).toEqual({
      project: first,
      existing: true,
    })
    expect((await made('shop', 'a.com', other)).id).not.toBe(first.id)
  })

  test('names that differ in case are different names', async () => {
    expect((await made('Shop')).id).not.toBe((await made('shop')).id)
  })

  test('refuses a primary origin that a live project of the account has', async () => {
    await made('a', 'a.com,b.com')
    await expect(made('b', 'https://a.com')).rejects.toEqual(fails('DUPLICATE_ORIGIN'))
    await made('c', 'b.com')
    await made('d', '*')
    await made('e', '*')
    await made('f', 'a.com', other)
    expect(await names()).toEqual(['a', 'c', 'd', 'e'])
    await made('b', 'https://free.com')
  })

  test('refuses origins that cannot be read, and an analysis that it does not know', async () => {
    await expect(made('a', 'ftp://a.com')).rejects.toEqual(fails('MISSING_FIELDS'))
    await expect(projects.create({ account, name: 'a', source_scan_id: 'scan_1' })).rejects.toEqual(
      fails('MISSING_FIELDS'),
    )
    expect(await names()).toEqual([])
  })

  test('at once, under one name, makes one project', async () => {
    const processes = Array.from({ length: 6 }, () => processOn())
    const outcomes = await Promise.all(
      processes.map((process, i) => process.create({ account, name: 'shop', allowed_origins: `s${i}.com` })),
    )
    expect(new Set(outcomes.map(({ project }) => project.id)).size).toBe(1)
    expect(outcomes.filter(({ existing }) => !existing)).toHaveLength(1)
    expect(await names()).toEqual(['shop'])
  })

  test('at once, with one origin under several names, makes one project', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        processOn().create({ account, name: `s${i}`, allowed_origins: 's.com' }),
      ),
    )
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => (reason as ApiError).code)).toEqual(Array(5).fill('DUPLICATE_ORIGIN'))
    expect(await names()).toHaveLength(1)
  })

  test('broken off after any of its writes, leaves nothing in the way of the next one', async () => {
    let writes = 0
    for (; ; writes++) {
      const wanted = { account, name: `shop-${writes}`, allowed_origins: `shop-${writes}.com` }
      const dying = processOn(crashingAfter(state, writes))
      const crashed = await dying.create(wanted).then(() => false, isCrash)
      const { project } = await projects.create(wanted)
      expect(await projects.byToken(project.project_token)).toEqual(project)
      expect(await projects.resolve(account.id, wanted.name)).toEqual(project)
      await expect(made('another', wanted.allowed_origins)).rejects.toEqual(fails('DUPLICATE_ORIGIN'))
      if (!crashed) break
    }
    expect(writes).toBeGreaterThan(3)
    expect(await names()).toHaveLength(writes + 1)
  })

  test('broken off, also leaves its origin to a project of another name', async () => {
    await processOn(crashingAfter(state, 3))
      .create({ account, name: 'a', allowed_origins: 'a.com' })
      .then(() => {}, isCrash)
    expect((await made('b', 'a.com')).allowed_origins).toBe('https://a.com')
    expect(await names()).toEqual(['b'])
  })
})

describe('list and resolve', () => {
  test('the list has the live projects of the account, oldest first', async () => {
    for (const name of ['z', 'a', 'm']) await made(name)
    await made('foreign', undefined, other)
    await projects.remove((await projects.list(account.id))[1] as Project)
    expect(await names()).toEqual(['z', 'm'])
    expect(await names(other)).toEqual(['foreign'])
    expect(await names({ id: 'acc_none' })).toEqual([])
  })

  test('the list has all of hundreds of projects', async () => {
    for (let i = 0; i < 230; i++) await made(`p${i}`)
    expect(await names()).toEqual(Array.from({ length: 230 }, (_, i) => `p${i}`))
  })

  test('a project is found by its id or its exact name, in its own account only', async () => {
    const project = await made('shop')
    expect(await projects.resolve(account.id, project.id)).toEqual(project)
    expect(await projects.resolve(account.id, 'shop')).toEqual(project)
    for (const text of ['Shop', 'sho', '', 'proj_0000000000000000', 'x'.repeat(5_000), 'a#b', '__proto__']) {
      expect(await projects.resolve(account.id, text)).toBeNull()
    }
    expect(await projects.resolve(other.id, 'shop')).toBeNull()
    expect(await projects.resolve(other.id, project.id)).toBeNull()
  })

  test('an id wins over a name that looks like it', async () => {
    const project = await made('shop')
    const namesake = await made(project.id)
    expect(await projects.resolve(account.id, project.id)).toEqual(project)
    expect((await projects.resolve(account.id, namesake.id))?.name).toBe(project.id)
  })

  test('another account’s id is found by byId, for the answer that tells it apart', async () => {
    const project = await made('shop', undefined, other)
    expect((await projects.byId(project.id))?.account_id).toBe('acc_2')
    expect(await projects.byId('x'.repeat(5_000))).toBeNull()
  })
})

describe('update', () => {
  test('changes what is sent and nothing else', async () => {
    const project = await made('shop', 'a.com')
    expect(await projects.update(project, { link_domains: ['b.com'] })).toEqual({
      ...project,
      link_domains: ['b.com'],
    })
    expect(await projects.update(project, { allowed_origins: '*' })).toMatchObject({
      allowed_origins: '*',
      name: 'shop',
    })
    const renamed = await projects.update(project, { name: 'store', allowed_origins: 'c.com/x' })
    expect(renamed).toEqual({
      ...project,
      name: 'store',
      allowed_origins: 'https://c.com',
      link_domains: ['b.com'],
    })
    expect(await projects.byId(project.id)).toEqual(renamed)
  })

  test('shows at once to who asks by token', async () => {
    const project = await made('shop', 'a.com')
    await projects.byToken(project.project_token)
    await projects.update(project, { allowed_origins: 'b.com' })
    expect((await projects.byToken(project.project_token))?.allowed_origins).toBe('https://b.com')
  })

  test('frees the old name and the old origin', async () => {
    const project = await made('shop', 'a.com')
    await projects.update(project, { name: 'store', allowed_origins: 'b.com' })
    expect(await projects.resolve(account.id, 'shop')).toBeNull()
    expect((await projects.resolve(account.id, 'store'))?.id).toBe(project.id)
    expect((await made('shop', 'a.com')).id).not.toBe(project.id)
  })

  test('lets a project go back to the name and the origin that it had', async () => {
    const project = await made('shop', 'a.com')
    await projects.update(project, { name: 'store', allowed_origins: 'b.com' })
    expect(await projects.update(project, { name: 'shop', allowed_origins: 'a.com' })).toEqual(project)
    expect(await names()).toEqual(['shop'])
  })

  test('refuses a name or an origin that is taken, and changes nothing then', async () => {
    const project = await made('shop', 'a.com')
    await made('store', 'b.com')
    await expect(projects.update(project, { name: 'store' })).rejects.toEqual(fails('NAME_EXISTS'))
    await expect(projects.update(project, { name: 'new', allowed_origins: 'b.com' })).rejects.toEqual(
      fails('DUPLICATE_ORIGIN'),
    )
    await expect(projects.update(project, { allowed_origins: 'a b' })).rejects.toEqual(
      fails('MISSING_FIELDS'),
    )
    expect(await projects.byId(project.id)).toEqual(project)
    expect((await made('new')).name).toBe('new')
    expect(await names()).toEqual(['shop', 'store', 'new'])
  })

  test('refuses another name once there are events; the same name and other fields may be sent', async () => {
    const project = await made('shop')
    await createUsage(state).addEvents('s', '1', [{ owner: project.id, day: '2026-11-21', events: 1 }])
    await expect(projects.update(project, { name: 'store' })).rejects.toEqual(fails('NAME_LOCKED'))
    expect(await projects.update(project, { name: 'shop', link_domains: ['a.com'] })).toMatchObject({
      name: 'shop',
    })
  })

  test('refuses a project that is deleted or never was', async () => {
    const project = await made('shop')
    await projects.remove(project)
    await expect(projects.update(project, { name: 'store' })).rejects.toEqual(fails('NOT_FOUND'))
    await expect(projects.update({ id: 'proj_0000000000000000' }, {})).rejects.toEqual(fails('NOT_FOUND'))
  })

  test('at once, of several fields, keeps all of them', async () => {
    const project = await made('shop')
    await Promise.all([
      processOn().update(project, { link_domains: ['b.com'] }),
      processOn().update(project, { allowed_origins: 'a.com' }),
      processOn().update(project, { name: 'store' }),
    ])
    expect(await projects.byId(project.id)).toEqual({
      ...project,
      name: 'store',
      allowed_origins: 'https://a.com',
      link_domains: ['b.com'],
    })
  })

  test('at once, of several projects to one name, gives it to one of them', async () => {
    const made4 = [await made('a'), await made('b'), await made('c'), await made('d')]
    const outcomes = await Promise.allSettled(
      made4.map(project => processOn().update(project, { name: 'same' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await names()).filter(name => name === 'same')).toHaveLength(1)
    expect(await names()).toHaveLength(4)
  })

  test('broken off after any of its writes, leaves one project and free names', async () => {
    let crashed = true
    for (let writes = 0; crashed; writes++) {
      const project = await made(`old-${writes}`, `old-${writes}.com`)
      const changes = { name: `new-${writes}`, allowed_origins: `new-${writes}.com` }
      const dying = processOn(crashingAfter(state, writes))
      crashed = await dying.update(project, changes).then(() => false, isCrash)
      const found = await projects.byId(project.id)
      const [free, taken] = found?.name === changes.name ? ['old', 'new'] : ['new', 'old']
      expect(await projects.create({ account, name: `${taken}-${writes}` })).toMatchObject({ existing: true })
      expect(
        await projects.create({
          account,
          name: `${free}-${writes}`,
          allowed_origins: `${free}-${writes}.com`,
        }),
      ).toMatchObject({
        existing: false,
      })
      expect((await projects.resolve(account.id, `${taken}-${writes}`))?.id).toBe(project.id)
      expect(await names()).toHaveLength(2 * (writes + 1))
    }
  })

  test('that has lost its new name to another project while it hung fails and changes nothing', async () => {
    const project = await made('a')
    const hanging = processOn(crashingAfter(state, 1))
    // It has claimed the name `b`, and hangs.
    await hanging.update(project, { name: 'b' }).then(() => {}, isCrash)
    const namesake = await made('b')
    expect(await projects.update(project, { link_domains: ['x.com'] })).toMatchObject({ name: 'a' })
    await expect(projects.update(project, { name: 'b' })).rejects.toEqual(fails('NAME_EXISTS'))
    expect((await projects.resolve(account.id, 'b'))?.id).toBe(namesake.id)
  })
})

describe('remove', () => {
  test('kills the token at once and frees name and origin', async () => {
    const project = await made('shop', 'a.com')
    await projects.byToken(project.project_token)
    now += 1_000
    await projects.remove(project)
    expect(await projects.byToken(project.project_token)).toBeNull()
    expect(await projects.resolve(account.id, 'shop')).toBeNull()
    expect(await projects.resolve(account.id, project.id)).toBeNull()
    expect((await projects.byId(project.id))?.deleted_at).toBe(new Date(now).toISOString())
    const again = await made('shop', 'a.com')
    expect(again.id).not.toBe(project.id)
    expect(again.project_token).not.toBe(project.project_token)
  })

  test('a second time, or of what never was, is NOT_FOUND', async () => {
    const project = await made('shop')
    const outcomes = await Promise.allSettled([projects.remove(project), processOn().remove(project)])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(projects.remove(project)).rejects.toEqual(fails('NOT_FOUND'))
    await expect(projects.remove({ id: 'proj_0000000000000000' })).rejects.toEqual(fails('NOT_FOUND'))
  })

  test('reaches the other processes within seconds', async () => {
    const project = await made('shop')
    const elsewhere = processOn()
    await elsewhere.byToken(project.project_token)
    await projects.remove(project)
    now += 5_000
    expect(await elsewhere.byToken(project.project_token)).toBeNull()
  })

  test('broken off after any of its writes, is done or not done', async () => {
    for (let writes = 0; writes < 4; writes++) {
      const project = await made('shop', 'a.com')
      const dying = processOn(crashingAfter(state, writes))
      await dying.remove(project).then(() => {}, isCrash)
      if (writes === 0) await projects.remove(project)
      expect(await projects.resolve(account.id, 'shop')).toBeNull()
      expect(await names()).toEqual([])
    }
  })
})

test('a token that has not the form of one is unknown without asking the table', async () => {
  const unreachable = processOn(crashingAfter(state, 0))
  for (const token of ['', 'aat_', `aat_${'0'.repeat(47)}`, `aat_${'G'.repeat(48)}`, 'x'.repeat(5_000)]) {
    expect(await unreachable.byToken(token)).toBeNull()
  }
})

test('a table that does not answer is UNAVAILABLE', async () => {
  const closed = await openTestState()
  const stranded = processOn(closed)
  await closed.close()
  await expect(stranded.list(account.id)).rejects.toEqual(fails('UNAVAILABLE'))
})

/** True for what crashingAfter throws, however it was wrapped; anything else is thrown on. */
function isCrash(error: unknown): true {
  const { cause } = error as Error
  if (error instanceof Crashed || cause instanceof Crashed) return true
  throw error
}
