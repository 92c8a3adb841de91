import { describe, expect, test } from 'vitest'
import type { ApiError } from '#core/errors'
import { crashAfterWrites, ProcessCrashedError } from '#test/support/crashing-state'
import { account, projectsFixture } from '#test/support/projects-fixture'

const fixture = projectsFixture()

function fails(code: string) {
  return expect.objectContaining({ name: 'ApiError', code })
}

describe('create', () => {
  test('at once, under one name, makes one project', async () => {
    const processes = Array.from({ length: 6 }, () => fixture.processOn())
    const outcomes = await Promise.all(
      processes.map((process, i) => process.create({ account, name: 'shop', allowed_origins: `s${i}.com` })),
    )
    expect(new Set(outcomes.map(({ project }) => project.id)).size).toBe(1)
    expect(outcomes.filter(({ existing }) => !existing)).toHaveLength(1)
    expect(await fixture.names()).toEqual(['shop'])
  })

  test('at once, with one origin under several names, makes one project', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        fixture.processOn().create({ account, name: `s${i}`, allowed_origins: 's.com' }),
      ),
    )
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => (reason as ApiError).code)).toEqual(Array(5).fill('DUPLICATE_ORIGIN'))
    expect(await fixture.names()).toHaveLength(1)
  })

  test('broken off after any of its writes, leaves nothing in the way of the next one', async () => {
    let writes = 0
    for (; ; writes++) {
      const wanted = { account, name: `shop-${writes}`, allowed_origins: `shop-${writes}.com` }
      const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
      const crashed = await dying.create(wanted).then(() => false, isCrash)
      const { project } = await fixture.projects.create(wanted)
      expect(await fixture.projects.byToken(project.project_token)).toEqual(project)
      expect(await fixture.projects.resolve(account.id, wanted.name)).toEqual(project)
      await expect(fixture.made('another', wanted.allowed_origins)).rejects.toEqual(fails('DUPLICATE_ORIGIN'))
      if (!crashed) break
    }
    expect(writes).toBeGreaterThan(3)
    expect(await fixture.names()).toHaveLength(writes + 1)
  })

  test('broken off, also leaves its origin to a project of another name', async () => {
    await fixture
      .processOn(crashAfterWrites(fixture.state, 3))
      .create({ account, name: 'a', allowed_origins: 'a.com' })
      .then(() => {}, isCrash)
    expect((await fixture.made('b', 'a.com')).allowed_origins).toBe('https://a.com')
    expect(await fixture.names()).toEqual(['b'])
  })
})

describe('update', () => {
  test('at once, of several fields, keeps all of them', async () => {
    const project = await fixture.made('shop')
    await Promise.all([
      fixture.processOn().update(project, { link_domains: ['b.com'] }),
      fixture.processOn().update(project, { allowed_origins: 'a.com' }),
      fixture.processOn().update(project, { name: 'store' }),
    ])
    expect(await fixture.projects.byId(project.id)).toEqual({
      ...project,
      name: 'store',
      allowed_origins: 'https://a.com',
      link_domains: ['b.com'],
    })
  })

  test('at once, of several projects to one name, gives it to one of them', async () => {
    const made4 = [
      await fixture.made('a'),
      await fixture.made('b'),
      await fixture.made('c'),
      await fixture.made('d'),
    ]
    const outcomes = await Promise.allSettled(
      made4.map(project => fixture.processOn().update(project, { name: 'same' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await fixture.names()).filter(name => name === 'same')).toHaveLength(1)
    expect(await fixture.names()).toHaveLength(4)
  })

  test('broken off after any of its writes, leaves one project and free names', async () => {
    let crashed = true
    for (let writes = 0; crashed; writes++) {
      const project = await fixture.made(`old-${writes}`, `old-${writes}.com`)
      const changes = { name: `new-${writes}`, allowed_origins: `new-${writes}.com` }
      const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
      crashed = await dying.update(project, changes).then(() => false, isCrash)
      const found = await fixture.projects.byId(project.id)
      const [free, taken] = found?.name === changes.name ? ['old', 'new'] : ['new', 'old']
      expect(await fixture.projects.create({ account, name: `${taken}-${writes}` })).toMatchObject({
        existing: true,
      })
      expect(
        await fixture.projects.create({
          account,
          name: `${free}-${writes}`,
          allowed_origins: `${free}-${writes}.com`,
        }),
      ).toMatchObject({
        existing: false,
      })
      expect((await fixture.projects.resolve(account.id, `${taken}-${writes}`))?.id).toBe(project.id)
      expect(await fixture.names()).toHaveLength(2 * (writes + 1))
    }
  })

  test('that has lost its new name to another project while it hung fails and changes nothing', async () => {
    const project = await fixture.made('a')
    const hanging = fixture.processOn(crashAfterWrites(fixture.state, 1))
    // It has claimed the name `b`, and hangs.
    await hanging.update(project, { name: 'b' }).then(() => {}, isCrash)
    const namesake = await fixture.made('b')
    expect(await fixture.projects.update(project, { link_domains: ['x.com'] })).toMatchObject({ name: 'a' })
    await expect(fixture.projects.update(project, { name: 'b' })).rejects.toEqual(fails('NAME_EXISTS'))
    expect((await fixture.projects.resolve(account.id, 'b'))?.id).toBe(namesake.id)
  })
})

describe('remove', () => {
  test('broken off after any of its writes, is done or not done', async () => {
    for (let writes = 0; writes < 4; writes++) {
      const project = await fixture.made('shop', 'a.com')
      const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
      await dying.remove(project).then(() => {}, isCrash)
      if (writes === 0) await fixture.projects.remove(project)
      expect(await fixture.projects.resolve(account.id, 'shop')).toBeNull()
      expect(await fixture.names()).toEqual([])
    }
  })
})

/** True for what crashingAfter throws, however it was wrapped; anything else is thrown on. */
function isCrash(error: unknown): true {
  const { cause } = error as Error
  if (error instanceof ProcessCrashedError || cause instanceof ProcessCrashedError) return true
  throw error
}
