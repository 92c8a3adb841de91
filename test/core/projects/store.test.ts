import { describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { createUsageStore } from '#core/usage/store'
import { BUCKETS } from '#schemas/columns'
import { countEvents } from '#test/support/count-events'
import { crashAfterWrites } from '#test/support/crashing-state'
import { account, fails, other, projectsFixture } from '#test/support/projects-fixture'
import { openTestState } from '#test/support/test-state'

const fixture = projectsFixture()

describe('create', () => {
  test('a new project has its own id, token and bucket', async () => {
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
      timezone: null,
      display_name: null,
      retention_days: null,
      bucket: expect.any(Number),
      has_event_ids: false,
      has_links: false,
      has_linked_anonymous_ids: false,
      portfolio_id: null,
      created_at: '2026-11-21T10:00:00.000Z',
      deleted_at: null,
    })
    expect(await fixture.projects.byId(project.id)).toEqual(project)
    expect(await fixture.projects.byToken(project.project_token)).toEqual(project)
  })

  test('projects spread over the buckets', async () => {
    const buckets = new Set<number>()
    for (let i = 0; i < 60; i++) buckets.add((await fixture.createProject(`p${i}`)).bucket)
    expect(buckets.size).toBeGreaterThan(25)
    expect([...buckets].every(bucket => bucket >= 0 && bucket < BUCKETS)).toBe(true)
  })

  test('a name that the account has already returns that project, with any origins', async () => {
    const first = await fixture.createProject('shop', 'a.com')
    expect(await fixture.projects.create({ account, name: 'shop', allowed_origins: 'b.com' })).toEqual({
      project: first,
      existing: true,
    })
    expect((await fixture.createProject('shop', 'a.com', other)).id).not.toBe(first.id)
  })

  test('names that differ in case are different names', async () => {
    expect((await fixture.createProject('Shop')).id).not.toBe((await fixture.createProject('shop')).id)
  })

  test('a primary origin of another live project of the account is rejected', async () => {
    await fixture.createProject('a', 'a.com,b.com')
    await expect(fixture.createProject('b', 'https://a.com')).rejects.toEqual(fails('DUPLICATE_ORIGIN'))
    await fixture.createProject('c', 'b.com')
    await fixture.createProject('d', '*')
    await fixture.createProject('e', '*')
    await fixture.createProject('f', 'a.com', other)
    expect(await fixture.names()).toEqual(['a', 'c', 'd', 'e'])
    await fixture.createProject('b', 'https://free.com')
  })

  test('a text that is not an origin and an unknown website analysis are rejected', async () => {
    await expect(fixture.createProject('a', 'ftp://a.com')).rejects.toEqual(fails('MISSING_FIELDS'))
    await expect(fixture.projects.create({ account, name: 'a', source_scan_id: 'scan_1' })).rejects.toEqual(
      fails('MISSING_FIELDS'),
    )
    expect(await fixture.names()).toEqual([])
  })
})

describe('list and resolve', () => {
  test('the list has the live projects of the account, oldest first', async () => {
    for (const name of ['z', 'a', 'm']) await fixture.createProject(name)
    await fixture.createProject('foreign', undefined, other)
    await fixture.projects.remove((await fixture.projects.list(account.id))[1] as Project)
    expect(await fixture.names()).toEqual(['z', 'm'])
    expect(await fixture.names(other)).toEqual(['foreign'])
    expect(await fixture.names({ id: 'acc_none' })).toEqual([])
  })

  test('the list has all projects of an account with hundreds', async () => {
    for (let i = 0; i < 230; i++) await fixture.createProject(`p${i}`)
    expect(await fixture.names()).toEqual(Array.from({ length: 230 }, (_, i) => `p${i}`))
  })

  test('a project is found by its id or its exact name, in its own account only', async () => {
    const project = await fixture.createProject('shop')
    expect(await fixture.projects.resolve(account.id, project.id)).toEqual(project)
    expect(await fixture.projects.resolve(account.id, 'shop')).toEqual(project)
    for (const text of ['Shop', 'sho', '', 'proj_0000000000000000', 'x'.repeat(5_000), 'a#b', '__proto__']) {
      expect(await fixture.projects.resolve(account.id, text)).toBeNull()
    }
    expect(await fixture.projects.resolve(other.id, 'shop')).toBeNull()
    expect(await fixture.projects.resolve(other.id, project.id)).toBeNull()
  })

  test('an id wins over an equal name', async () => {
    const project = await fixture.createProject('shop')
    const namesake = await fixture.createProject(project.id)
    expect(await fixture.projects.resolve(account.id, project.id)).toEqual(project)
    expect((await fixture.projects.resolve(account.id, namesake.id))?.name).toBe(project.id)
  })

  test('byId also returns projects of other accounts', async () => {
    const project = await fixture.createProject('shop', undefined, other)
    expect((await fixture.projects.byId(project.id))?.account_id).toBe('acc_2')
    expect(await fixture.projects.byId('x'.repeat(5_000))).toBeNull()
  })
})

describe('update', () => {
  test('only the fields of the request change', async () => {
    const project = await fixture.createProject('shop', 'a.com')
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

  test('the time zone stays until it is changed or taken away', async () => {
    const { project } = await fixture.projects.create({ account, name: 'shop', timezone: 'Asia/Tokyo' })
    expect(project.timezone).toBe('Asia/Tokyo')
    expect(await fixture.projects.update(project, { name: 'store' })).toEqual({ ...project, name: 'store' })
    const moved = await fixture.projects.update(project, { timezone: 'Europe/Berlin' })
    expect(moved).toMatchObject({ name: 'store', timezone: 'Europe/Berlin' })
    expect(await fixture.projects.byId(project.id)).toEqual(moved)
    const cleared = await fixture.projects.update(project, { timezone: '' })
    expect(cleared.timezone).toBe(null)
    expect(await fixture.projects.byId(project.id)).toEqual(cleared)
    expect(await fixture.projects.update(project, { timezone: '' })).toEqual(cleared)
  })

  test('byToken returns the change at once', async () => {
    const project = await fixture.createProject('shop', 'a.com')
    await fixture.projects.byToken(project.project_token)
    await fixture.projects.update(project, { allowed_origins: 'b.com' })
    expect((await fixture.projects.byToken(project.project_token))?.allowed_origins).toBe('https://b.com')
  })

  test('the old name and the old origin are free afterwards', async () => {
    const project = await fixture.createProject('shop', 'a.com')
    await fixture.projects.update(project, { name: 'store', allowed_origins: 'b.com' })
    expect(await fixture.projects.resolve(account.id, 'shop')).toBeNull()
    expect((await fixture.projects.resolve(account.id, 'store'))?.id).toBe(project.id)
    expect((await fixture.createProject('shop', 'a.com')).id).not.toBe(project.id)
  })

  test('a project can have its old name and its old origin again', async () => {
    const project = await fixture.createProject('shop', 'a.com')
    await fixture.projects.update(project, { name: 'store', allowed_origins: 'b.com' })
    expect(await fixture.projects.update(project, { name: 'shop', allowed_origins: 'a.com' })).toEqual(
      project,
    )
    expect(await fixture.names()).toEqual(['shop'])
  })

  test('a name or an origin of another project is rejected, and nothing changes', async () => {
    const project = await fixture.createProject('shop', 'a.com')
    await fixture.createProject('store', 'b.com')
    await expect(fixture.projects.update(project, { name: 'store' })).rejects.toEqual(fails('NAME_EXISTS'))
    await expect(fixture.projects.update(project, { name: 'new', allowed_origins: 'b.com' })).rejects.toEqual(
      fails('DUPLICATE_ORIGIN'),
    )
    await expect(fixture.projects.update(project, { allowed_origins: 'a b' })).rejects.toEqual(
      fails('MISSING_FIELDS'),
    )
    expect(await fixture.projects.byId(project.id)).toEqual(project)
    expect((await fixture.createProject('new')).name).toBe('new')
    expect(await fixture.names()).toEqual(['shop', 'store', 'new'])
  })

  test('a project with events keeps its name, and its other fields can change', async () => {
    const project = await fixture.createProject('shop')
    await countEvents(createUsageStore(fixture.state), {
      project_id: project.id,
      day: '2026-11-21',
      events: 1,
    })
    await expect(fixture.projects.update(project, { name: 'store' })).rejects.toEqual(fails('NAME_LOCKED'))
    expect(await fixture.projects.update(project, { name: 'shop', link_domains: ['a.com'] })).toMatchObject({
      name: 'shop',
    })
  })

  test('a deleted or unknown project is NOT_FOUND', async () => {
    const project = await fixture.createProject('shop')
    await fixture.projects.remove(project)
    await expect(fixture.projects.update(project, { name: 'store' })).rejects.toEqual(fails('NOT_FOUND'))
    await expect(fixture.projects.update({ id: 'proj_0000000000000000' }, {})).rejects.toEqual(
      fails('NOT_FOUND'),
    )
  })
})

describe('remove', () => {
  test('the token stops at once, and the name and origin are free', async () => {
    const project = await fixture.createProject('shop', 'a.com')
    await fixture.projects.byToken(project.project_token)
    fixture.now += 1_000
    await fixture.projects.remove(project)
    expect(await fixture.projects.byToken(project.project_token)).toBeNull()
    expect(await fixture.projects.resolve(account.id, 'shop')).toBeNull()
    expect(await fixture.projects.resolve(account.id, project.id)).toBeNull()
    expect((await fixture.projects.byId(project.id))?.deleted_at).toBe(new Date(fixture.now).toISOString())
    const again = await fixture.createProject('shop', 'a.com')
    expect(again.id).not.toBe(project.id)
    expect(again.project_token).not.toBe(project.project_token)
  })

  test('a second deletion, and the deletion of an unknown project, are NOT_FOUND', async () => {
    const project = await fixture.createProject('shop')
    const outcomes = await Promise.allSettled([
      fixture.projects.remove(project),
      fixture.processOn().remove(project),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(fixture.projects.remove(project)).rejects.toEqual(fails('NOT_FOUND'))
    await expect(fixture.projects.remove({ id: 'proj_0000000000000000' })).rejects.toEqual(fails('NOT_FOUND'))
  })

  test('other processes see the deletion within five seconds', async () => {
    const project = await fixture.createProject('shop')
    const elsewhere = fixture.processOn()
    await elsewhere.byToken(project.project_token)
    await fixture.projects.remove(project)
    fixture.now += 5_000
    expect(await elsewhere.byToken(project.project_token)).toBeNull()
  })
})

test('a token of another form is unknown without a read of the table', async () => {
  const unreachable = fixture.processOn(crashAfterWrites(fixture.state, 0))
  for (const token of ['', 'aat_', `aat_${'0'.repeat(47)}`, `aat_${'G'.repeat(48)}`, 'x'.repeat(5_000)]) {
    expect(await unreachable.byToken(token)).toBeNull()
  }
})

test('a table that cannot be reached is UNAVAILABLE', async () => {
  const closed = await openTestState()
  const stranded = fixture.processOn(closed)
  await closed.close()
  await expect(stranded.list(account.id)).rejects.toEqual(fails('UNAVAILABLE'))
})

test('the note about event_ids stays after a change, and is not stored for an unknown project', async () => {
  const { id } = await fixture.createProject('shop')
  await fixture.projects.noteEventIds(id)
  await fixture.projects.noteEventIds(id)
  expect((await fixture.projects.byId(id))?.has_event_ids).toBe(true)
  expect((await fixture.projects.update({ id }, { allowed_origins: 'a.com' })).has_event_ids).toBe(true)
  await fixture.projects.noteEventIds('proj_0000000000000000')
  expect(await fixture.projects.byId('proj_0000000000000000')).toBe(null)
})
