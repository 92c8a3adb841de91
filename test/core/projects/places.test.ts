import { expect, test } from 'vitest'
import { crashAfterWrites } from '#test/support/crashing-state'
import { account, projectsFixture } from '#test/support/projects-fixture'

const fixture = projectsFixture()
const limited = { account, max_projects: 2 }
const proRequired = expect.objectContaining({ name: 'ApiError', code: 'PRO_REQUIRED' })

test('requests of several processes at once create exactly as many projects as the account may have', async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 6 }, (_, i) => fixture.processOn().create({ ...limited, name: `p${i}` })),
  )
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  expect(outcomes.filter(outcome => outcome.status === 'rejected').map(({ reason }) => reason)).toEqual(
    Array(4).fill(proRequired),
  )
  expect(await fixture.names()).toHaveLength(2)
})

test('a refused creation leaves its name and its origin free for other projects', async () => {
  await fixture.createProject('a')
  const outcomes = await Promise.allSettled(
    ['b', 'c', 'd'].map(name =>
      fixture.processOn().create({ ...limited, name, allowed_origins: `${name}.com` }),
    ),
  )
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2)
  const created = (await fixture.names()).find(name => name !== 'a')
  for (const name of ['b', 'c', 'd'].filter(other => other !== created))
    expect(await fixture.createProject(`another-${name}`, `${name}.com`)).toBeDefined()
})

test('after a crash behind any write of a creation, its place is free again', async () => {
  await fixture.createProject('kept')
  let crashed = true
  for (let writes = 0; crashed; writes++) {
    const dying = fixture.processOn(crashAfterWrites(fixture.state, writes))
    crashed = await dying
      .create({ ...limited, name: 'crashed', allowed_origins: 'a.com' })
      .then(() => false)
      .catch(() => true)
    if (!crashed) break
    const { project } = await fixture.projects.create({ ...limited, name: `next-${writes}` })
    expect((await fixture.names()).toSorted()).toEqual(['kept', `next-${writes}`])
    await fixture.projects.remove(project)
  }
  await expect(fixture.projects.create({ ...limited, name: 'third' })).rejects.toEqual(proRequired)
})

test('a creation that stops for long loses the last place to another one, and is refused when it goes on', async () => {
  await fixture.createProject('kept')
  const { table, go } = hangBeforeProject()
  const hanging = fixture.processOn(table).create({ ...limited, name: 'slow' })
  await go.reached
  await fixture.projects.create({ ...limited, name: 'quick' })
  go.on()
  await expect(hanging).rejects.toEqual(proRequired)
  expect((await fixture.names()).toSorted()).toEqual(['kept', 'quick'])
})

/** The state of a process that waits for `on` before it writes its first item of a project. */
function hangBeforeProject() {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const { client, table } = fixture.state
  const send = client.send.bind(client) as (command: object, ...rest: unknown[]) => Promise<unknown>
  const hanging = new Proxy(client, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property, target)
      return async (command: { input?: { Item?: { __edb_e__?: string } } }, ...rest: unknown[]) => {
        if (command.input?.Item?.__edb_e__ === 'project') {
          reached.resolve()
          await released.promise
        }
        return send(command, ...rest)
      }
    },
  })
  return { table: { client: hanging, table }, go: { reached: reached.promise, on: released.resolve } }
}
