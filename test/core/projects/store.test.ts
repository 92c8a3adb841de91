import { describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { createUsageStore } from '#core/usage/store'
import { BUCKETS } from '#schemas/columns'
import { crashAfterWrites } from '#test/support/crashing-state'
import { account, other, projectsFixture } from '#test/support/projects-fixture'
import { openTestState } from '#test/support/test-state'

const fixture = projectsFixture()

function fails(code: string) {
  return expect.objectContaining({ name: 'ApiError', code })
}

describe('create', () => {
  test('makes a project with an id, a token and a bucket of its own', async () => {
    const { project, existing } = await fixture.projects.create({
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
      has_event_ids: false,
      created_at: '2026-11-21T10:00:00.000Z',
      deleted_at: null,
    })
    expect(await fixture.projects.byId(project.id)).toEqual(project)
    expect(await fixture.projects.byToken(project.project_token)).toEqual(project)
  })

  test('buckets are spread over all there are', async () => {
    const buckets = new Set<number>()
    for (let i = 0; i < 60; i++) buckets.add((await fixture.made(`p${i}`)).bucket)
    expect(buckets.size).toBeGreaterThan(25)
    expect([...buckets].every(bucket => bucket >= 0 && bucket < BUCKETS)).toBe(true)
  })

  test('of a name that the account has, gives that project, whatever origins are sent', async () => {
    const first = await fixture.made('shop', 'a.com')
    expect(await fixture.projects.create({ account, name: 'shop', allowed_origins: 'b.com' })).toEqual({
      project: first,
      existing: true,
    })
    expect((await fixture.made('shop', 'a.com', other)).id).not.toBe(first.id)
  })

  test('names that differ in case are different names', async () => {
    expect((await fixture.made('Shop')).id).not.toBe((await fixture.made('shop')).id)
  })

  test('refuses a primary origin that a live project of the account has', async () => {
    await fixture.made('a', 'a.com,b.com')
    await expect(fixture.made('b', 'https://a.com')).rejects.toEqual(fails('DUPLICATE_ORIGIN'))
    await fixture.made('c', 'b.com')
    await fixture.made('d', '*')
    await fixture.made('e', '*')
    await fixture.made('f', 'a.com', other)
    expect(await fixture.names()).toEqual(['a', 'c', 'd', 'e'])
    await fixture.made('b', 'https://free.com')
  })

  test('refuses origins that cannot be read, and an analysis that it does not know', async () => {
    await expect(fixture.made('a', 'ftp://a.com')).rejects.toEqual(fails('MISSING_FIELDS'))
    await expect(fixture.projects.create({ account, name: 'a', source_scan_id: 'scan_1' })).rejects.toEqual(
      fails('MISSING_FIELDS'),
    )
    expect(await fixture.names()).toEqual([])
  })
})

describe('list and resolve', () => {
  test('the list has the live projects of the account, oldest first', async () => {
    for (const name of ['z', 'a', 'm']) await fixture.made(name)
    await fixture.made('foreign', undefined, other)
    await fixture.projects.remove((await fixture.projects.list(account.id))[1] as Project)
    expect(await fixture.names()).toEqual(['z', 'm'])
    expect(await fixture.names(other)).toEqual(['foreign'])
    expect(await fixture.names({ id: 'acc_none' })).toEqual([])
  })

  test('the list has all of hundreds of projects', async () => {
    for (let i = 0; i < 230; i++) await fixture.made(`p${i}`)
    expect(await fixture.names()).toEqual(Array.from({ length: 230 }, (_, i) => `p${i}`))
  })

  test('a project is found by its id or its exact name, in its own account only', async () => {
    const project = await fixture.made('shop')
    expect(await fixture.projects.resolve(account.id, project.id)).toEqual(project)
    expect(await fixture.projects.resolve(account.id, 'shop')).toEqual(project)
    for (const text of ['Shop', 'sho', '', 'proj_0000000000000000', 'x'.repeat(5_000), 'a#b', '__proto__']) {
      expect(await fixture.projects.resolve(account.id, text)).toBeNull()
    }
    expect(await fixture.projects.resolve(other.id, 'shop')).toBeNull()
    expect(await fixture.projects.resolve(other.id, project.id)).toBeNull()
  })

  test('an id wins over a name that looks like it', async () => {
    const project = await fixture.made('shop')
    const namesake = await fixture.made(project.id)
    expect(await fixture.projects.resolve(account.id, project.id)).toEqual(project)
    expect((await fixture.projects.resolve(account.id, namesake.id))?.name).toBe(project.id)
  })

  test('another account’s id is found by byId, for the answer that tells it apart', async () => {
    const project = await fixture.made('shop', undefined, other)
    expect((await fixture.projects.byId(project.id))?.account_id).toBe('acc_2')
    expect(await fixture.projects.byId('x'.repeat(5_000))).toBeNull()
  })
})

describe('update', () => {
  test('changes what is sent and nothing else', async () => {
    const project = await fixture.made('shop', 'a.com')
    expect(await fixture.projects.update(project, { link_domains: ['b.com'] })).toEqual({
      ...project,
      link_domains: ['b.com'],
    })
    expect(await fixture.projects.update(project, { allowed_origins: '*' })).toMatchObject({
      allowed_origins: '*',
      name: 'shop',
    })
    const renamed = await fixture.projects.update(project, { name: 'store', allowed_origins: 'c.com/x' })
    expect(renamed).toEqual({
      ...project,
      name: 'store',
      allowed_origins: 'https://c.com',
      link_domains: ['b.com'],
    })
    expect(await fixture.projects.byId(project.id)).toEqual(renamed)
  })

  test('shows at once to who asks by token', async () => {
    const project = await fixture.made('shop', 'a.com')
    await fixture.projects.byToken(project.project_token)
    await fixture.projects.update(project, { allowed_origins: 'b.com' })
    expect((await fixture.projects.byToken(project.project_token))?.allowed_origins).toBe('https://b.com')
  })

  test('frees the old name and the old origin', async () => {
    const project = await fixture.made('shop', 'a.com')
    await fixture.projects.update(project, { name: 'store', allowed_origins: 'b.com' })
    expect(await fixture.projects.resolve(account.id, 'shop')).toBeNull()
    expect((await fixture.projects.resolve(account.id, 'store'))?.id).toBe(project.id)
    expect((await fixture.made('shop', 'a.com')).id).not.toBe(project.id)
  })

  test('lets a project go back to the name and the origin that it had', async () => {
    const project = await fixture.made('shop', 'a.com')
    await fixture.projects.update(project, { name: 'store', allowed_origins: 'b.com' })
    expect(await fixture.projects.update(project, { name: 'shop', allowed_origins: 'a.com' })).toEqual(
      project,
    )
    expect(await fixture.names()).toEqual(['shop'])
  })

  test('refuses a name or an origin that is taken, and changes nothing then', async () => {
    const project = await fixture.made('shop', 'a.com')
    await fixture.made('store', 'b.com')
    await expect(fixture.projects.update(project, { name: 'store' })).rejects.toEqual(fails('NAME_EXISTS'))
    await expect(fixture.projects.update(project, { name: 'new', allowed_origins: 'b.com' })).rejects.toEqual(
      fails('DUPLICATE_ORIGIN'),
    )
    await expect(fixture.projects.update(project, { allowed_origins: 'a b' })).rejects.toEqual(
      fails('MISSING_FIELDS'),
    )
    expect(await fixture.projects.byId(project.id)).toEqual(project)
    expect((await fixture.made('new')).name).toBe('new')
    expect(await fixture.names()).toEqual(['shop', 'store', 'new'])
  })

  test('refuses another name once there are events; the same name and other fields may be sent', async () => {
    const project = await fixture.made('shop')
    await createUsageStore(fixture.state).addEvents('s', '1', [
      { owner: project.id, day: '2026-11-21', events: 1 },
    ])
    await expect(fixture.projects.update(project, { name: 'store' })).rejects.toEqual(fails('NAME_LOCKED'))
    expect(await fixture.projects.update(project, { name: 'shop', link_domains: ['a.com'] })).toMatchObject({
      name: 'shop',
    })
  })

  test('refuses a project that is deleted or never was', async () => {
    const project = await fixture.made('shop')
    await fixture.projects.remove(project)
    await expect(fixture.projects.update(project, { name: 'store' })).rejects.toEqual(fails('NOT_FOUND'))
    await expect(fixture.projects.update({ id: 'proj_0000000000000000' }, {})).rejects.toEqual(
      fails('NOT_FOUND'),
    )
  })
})

describe('remove', () => {
  test('kills the token at once and frees name and origin', async () => {
    const project = await fixture.made('shop', 'a.com')
    await fixture.projects.byToken(project.project_token)
    fixture.now += 1_000
    await fixture.projects.remove(project)
    expect(await fixture.projects.byToken(project.project_token)).toBeNull()
    expect(await fixture.projects.resolve(account.id, 'shop')).toBeNull()
    expect(await fixture.projects.resolve(account.id, project.id)).toBeNull()
    expect((await fixture.projects.byId(project.id))?.deleted_at).toBe(new Date(fixture.now).toISOString())
    const again = await fixture.made('shop', 'a.com')
    expect(again.id).not.toBe(project.id)
    expect(again.project_token).not.toBe(project.project_token)
  })

  test('a second time, or of what never was, is NOT_FOUND', async () => {
    const project = await fixture.made('shop')
    const outcomes = await Promise.allSettled([
      fixture.projects.remove(project),
      fixture.processOn().remove(project),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(fixture.projects.remove(project)).rejects.toEqual(fails('NOT_FOUND'))
    await expect(fixture.projects.remove({ id: 'proj_0000000000000000' })).rejects.toEqual(fails('NOT_FOUND'))
  })

  test('reaches the other processes within seconds', async () => {
    const project = await fixture.made('shop')
    const elsewhere = fixture.processOn()
    await elsewhere.byToken(project.project_token)
    await fixture.projects.remove(project)
    fixture.now += 5_000
    expect(await elsewhere.byToken(project.project_token)).toBeNull()
  })
})

test('a token that has not the form of one is unknown without asking the table', async () => {
  const unreachable = fixture.processOn(crashAfterWrites(fixture.state, 0))
  for (const token of ['', 'aat_', `aat_${'0'.repeat(47)}`, `aat_${'G'.repeat(48)}`, 'x'.repeat(5_000)]) {
    expect(await unreachable.byToken(token)).toBeNull()
  }
})

test('a table that does not answer is UNAVAILABLE', async () => {
  const closed = await openTestState()
  const stranded = fixture.processOn(closed)
  await closed.close()
  await expect(stranded.list(account.id)).rejects.toEqual(fails('UNAVAILABLE'))
})

test('that a project sends event_ids is kept through its changes, and of an unknown one nothing is', async () => {
  const { id } = await fixture.made('shop')
  await fixture.projects.noteEventIds(id)
  await fixture.projects.noteEventIds(id)
  expect((await fixture.projects.byId(id))?.has_event_ids).toBe(true)
  expect((await fixture.projects.update({ id }, { allowed_origins: 'a.com' })).has_event_ids).toBe(true)
  await fixture.projects.noteEventIds('proj_0000000000000000')
  expect(await fixture.projects.byId('proj_0000000000000000')).toBe(null)
})
