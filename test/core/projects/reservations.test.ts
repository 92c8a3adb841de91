import { describe, expect, test } from 'vitest'
import type { ApiError } from '#core/errors'
import { crashAfterWrites, ProcessCrashedError } from '#test/support/crashing-state'
import { account, fails, projectsFixture } from '#test/support/projects-fixture'

const fixture = projectsFixture()

describe('create', () => {
  test('requests at the same time with one name create one project', async () => {
    const processes = Array.from({ length: 6 }, () => fixture.processOn())
    const outcomes = await Promise.all(
      processes.map((process, i) => process.create({ account, name: 'shop', allowed_origins: `s${i}.com` })),
    )
    expect(new Set(outcomes.map(({ project }) => project.id)).size).toBe(1)
    expect(outcomes.filter(({ existing }) => !existing)).toHaveLength(1)
    expect(await fixture.names()).toEqual(['shop'])
  })

  test('requests at the same time with one origin and several names create one project', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) =>
        fixture.processOn().create({ account, name: `s${i}`, allowed_origins: 's.com' }),
      ),
    )
    const rejections = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(rejections.map(({ reason }) => (reason as ApiError).code)).toEqual(
      Array(5).fill('DUPLICATE_ORIGIN'),
    )
    expect(await fixture.names()).toHaveLength(1)
  })

  test('after a crash behind any of its writes, the same name and origin can be used', async () => {
    let writes = 0
    for (; ; writes++) {
      const request = { account, name: `shop-${writes}`, allowed_origins: `shop-${writes}.com` }
      const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
      const crashed = await dying.create(request).then(() => false, isCrash)
      const { project } = await fixture.projects.create(request)
      expect(await fixture.projects.byToken(project.project_token)).toEqual(project)
      expect(await fixture.projects.resolve(account.id, request.name)).toEqual(project)
      await expect(fixture.createProject('another', request.allowed_origins)).rejects.toEqual(
        fails('DUPLICATE_ORIGIN'),
      )
      if (!crashed) break
    }
    expect(writes).toBeGreaterThan(3)
    expect(await fixture.names()).toHaveLength(writes + 1)
  })

  test('after a crash, a project of another name can have the origin', async () => {
    await fixture
      .processOn(crashAfterWrites(fixture.state, 3))
      .create({ account, name: 'a', allowed_origins: 'a.com' })
      .then(() => {}, isCrash)
    expect((await fixture.createProject('b', 'a.com')).allowed_origins).toBe('https://a.com')
    expect(await fixture.names()).toEqual(['b'])
  })
})

describe('update', () => {
  test('requests at the same time for different fields all take effect', async () => {
    const project = await fixture.createProject('shop')
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

  test('when several projects want one name at the same time, one of them gets it', async () => {
    const projects = [
      await fixture.createProject('a'),
      await fixture.createProject('b'),
      await fixture.createProject('c'),
      await fixture.createProject('d'),
    ]
    const outcomes = await Promise.allSettled(
      projects.map(project => fixture.processOn().update(project, { name: 'same' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await fixture.names()).filter(name => name === 'same')).toHaveLength(1)
    expect(await fixture.names()).toHaveLength(4)
  })

  test('after a crash behind any of its writes, the project has one name, and the other name is free', async () => {
    let crashed = true
    for (let writes = 0; crashed; writes++) {
      const project = await fixture.createProject(`old-${writes}`, `old-${writes}.com`)
      const changes = { name: `new-${writes}`, allowed_origins: `new-${writes}.com` }
      const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
      crashed = await dying.update(project, changes).then(() => false, isCrash)
      const stored = await fixture.projects.byId(project.id)
      const [free, used] = stored?.name === changes.name ? ['old', 'new'] : ['new', 'old']
      expect(await fixture.projects.create({ account, name: `${used}-${writes}` })).toMatchObject({
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
      expect((await fixture.projects.resolve(account.id, `${used}-${writes}`))?.id).toBe(project.id)
      expect(await fixture.names()).toHaveLength(2 * (writes + 1))
    }
  })

  test('a request that hangs loses its new name to another project, and then fails without a change', async () => {
    const project = await fixture.createProject('a')
    const hanging = fixture.processOn(crashAfterWrites(fixture.state, 1))
    // It has reserved the name `b`, and hangs.
    await hanging.update(project, { name: 'b' }).then(() => {}, isCrash)
    const namesake = await fixture.createProject('b')
    expect(await fixture.projects.update(project, { link_domains: ['x.com'] })).toMatchObject({ name: 'a' })
    await expect(fixture.projects.update(project, { name: 'b' })).rejects.toEqual(fails('NAME_EXISTS'))
    expect((await fixture.projects.resolve(account.id, 'b'))?.id).toBe(namesake.id)
  })
})

describe('remove', () => {
  test('after a crash behind any of its writes, the project is deleted or unchanged', async () => {
    for (let writes = 0; writes < 4; writes++) {
      const project = await fixture.createProject('shop', 'a.com')
      const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
      await dying.remove(project).then(() => {}, isCrash)
      // The first write is the entry of the deletion list, the second one decides.
      if (writes < 2) await fixture.projects.remove(project)
      expect(await fixture.projects.resolve(account.id, 'shop')).toBeNull()
      expect(await fixture.names()).toEqual([])
    }
  })
})

/** Returns true for the error of crashingAfter, also within another error. Throws any other error. */
function isCrash(error: unknown): true {
  const { cause } = error as Error
  if (error instanceof ProcessCrashedError || cause instanceof ProcessCrashedError) return true
  throw error
}
