import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

let slugs = 0
async function create(fields: Record<string, unknown> = {}) {
  slugs += 1
  const body = { slug: `shops-${slugs}`, name: 'Shops', allow_move: false, ...fields }
  return service.call(routes.createPortfolio, { body })
}

async function membersOf(id: string): Promise<string[]> {
  const { body } = await service.call(routes.readPortfolio, { id })
  return (body.portfolio as { members: { project: string }[] }).members.map(({ project }) => project)
}

test('a portfolio is created with projects by name or id, and found by id and by slug', async () => {
  const [one, two] = [await service.createProject(), await service.createProject()]
  const { status, body } = await create({ slug: 'acme', projects: [one.name, two.id, one.id] })
  expect(status).toBe(201)
  const portfolio = {
    id: expect.stringMatching(/^pf_[0-9a-f]{16}$/),
    slug: 'acme',
    name: 'Shops',
    members: expect.arrayContaining([one, two].map(({ id, name }) => ({ project_id: id, project: name }))),
    created_at: '2026-11-21T12:00:00.000Z',
    updated_at: '2026-11-21T12:00:00.000Z',
  }
  expect(body).toEqual({ ok: true, portfolio })
  const { id } = body.portfolio as { id: string }
  for (const idOrSlug of [id, 'acme']) {
    expect((await service.call(routes.readPortfolio, { id: idOrSlug })).body).toEqual({ portfolio })
  }
  const list = await service.call(routes.listPortfolios)
  expect(list.body.portfolios).toContainEqual(portfolio)
})

test('a slug is taken once in an account, and may be used by another account', async () => {
  const body = { slug: 'twice', name: 'A' }
  expect((await service.call(routes.createPortfolio, { body })).status).toBe(201)
  expect(await service.call(routes.createPortfolio, { body })).toMatchObject({
    status: 409,
    body: { error: 'SLUG_EXISTS' },
  })
  const strangers = await service.call(routes.createPortfolio, { body, key: service.strangersKey })
  expect(strangers.status).toBe(201)
})

test('a portfolio that is created again is told of its slug, whatever its projects are', async () => {
  const own = await service.createProject()
  const body = { slug: 'again', name: 'A', projects: [own.name] }
  expect((await service.call(routes.createPortfolio, { body })).status).toBe(201)
  const others = [{}, { name: 'B' }, { projects: [] }, { projects: ['nowhere'] }, { allow_move: true }]
  for (const change of others) {
    expect(await service.call(routes.createPortfolio, { body: { ...body, ...change } })).toMatchObject({
      status: 409,
      body: { error: 'SLUG_EXISTS' },
    })
  }
  expect(await membersOf('again')).toEqual([own.name])
})

test('a project of another portfolio is moved only with allow_move, and a refused request changes nothing', async () => {
  const [one, two] = [await service.createProject(), await service.createProject()]
  const first = (await create({ projects: [one.id] })).body.portfolio as { id: string }
  const slug = 'no-move'
  expect(await create({ slug, projects: [two.id, one.id] })).toMatchObject({
    status: 409,
    body: { error: 'PROJECT_IN_PORTFOLIO' },
  })
  expect((await service.call(routes.readPortfolio, { id: slug })).status).toBe(404)
  const second = (await create({ projects: [two.id, one.id], allow_move: true })).body.portfolio as {
    id: string
  }
  expect([await membersOf(first.id), (await membersOf(second.id)).length]).toEqual([[], 2])
})

test('of six portfolios that are created with one project at once, one gets it and five are refused and not created', async () => {
  for (let round = 0; round < 5; round++) {
    const [shared, own] = [await service.createProject(), await service.createProject()]
    const created = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        create({ slug: `race-${round}-${i}`, projects: i === 0 ? [own.id, shared.id] : [shared.id] }),
      ),
    )
    expect(created.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409])
    const refused = created.filter(({ status }) => status === 409)
    expect(refused.map(({ body }) => body.error)).toEqual(Array(5).fill('PROJECT_IN_PORTFOLIO'))
    const portfolios = await Promise.all(
      created.map((_, i) => service.call(routes.readPortfolio, { id: `race-${round}-${i}` })),
    )
    expect(portfolios.map(({ status }) => status === 200)).toEqual(
      created.map(({ status }) => status === 201),
    )
    // A project that was taken before the refusal is free again.
    if (created[0]?.status === 409) expect((await create({ projects: [own.id] })).status).toBe(201)
  }
})

test('of six portfolios that are changed to hold one project at once, one gets it', async () => {
  for (let round = 0; round < 5; round++) {
    const shared = await service.createProject()
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.push(((await create()).body.portfolio as { id: string }).id)
    const changed = await Promise.all(
      ids.map(id =>
        service.call(routes.updatePortfolio, { id, body: { name: 'New', projects: [shared.id] } }),
      ),
    )
    expect(changed.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
    const members = await Promise.all(ids.map(membersOf))
    expect(members.map(each => each.length)).toEqual(changed.map(({ status }) => Number(status === 200)))
    const names = await Promise.all(
      ids.map(async id => (await service.call(routes.readPortfolio, { id })).body),
    )
    expect(names.map(body => (body.portfolio as { name: string }).name === 'New')).toEqual(
      changed.map(({ status }) => status === 200),
    )
  }
})

test('of requests that replace the projects of one portfolio at once, the members are those of one of them', async () => {
  const shared = await service.createProject()
  for (let round = 0; round < 5; round++) {
    const { id } = (await create()).body.portfolio as { id: string }
    const wanted = await Promise.all(
      Array.from({ length: 4 }, async () => [shared, await service.createProject()]),
    )
    const changed = await Promise.all(
      wanted.map(projects =>
        service.call(routes.updatePortfolio, {
          id,
          body: { projects: projects.map(each => each.id), allow_move: true },
        }),
      ),
    )
    // The others are asked to send the same request again.
    for (const { status, headers } of changed)
      expect([status, headers.has('retry-after')]).toEqual(status === 200 ? [200, false] : [503, true])
    const sets = wanted
      .filter((_, i) => changed[i]?.status === 200)
      .map(projects => projects.map(({ name }) => name).sort())
    expect(sets).toContainEqual((await membersOf(id)).sort())
    const again = await service.call(routes.updatePortfolio, { id, body: { projects: [shared.id] } })
    expect([again.status, await membersOf(id)]).toEqual([200, [shared.name]])
  }
})

test('six requests that may move a project leave it in one portfolio', async () => {
  const shared = await service.createProject()
  const ids: string[] = []
  for (let i = 0; i < 6; i++) ids.push(((await create()).body.portfolio as { id: string }).id)
  const body = { projects: [shared.id], allow_move: true }
  const changed = await Promise.all(ids.map(id => service.call(routes.updatePortfolio, { id, body })))
  expect(changed.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect((await Promise.all(ids.map(membersOf))).flat()).toEqual([shared.name])
})

test('PATCH replaces the projects, changes the name, and repeats without effect', async () => {
  const [one, two] = [await service.createProject(), await service.createProject()]
  const { id } = (await create({ projects: [one.id] })).body.portfolio as { id: string }
  for (let i = 0; i < 2; i++) {
    const { status } = await service.call(routes.updatePortfolio, { id, body: { projects: [two.name] } })
    expect([status, await membersOf(id)]).toEqual([200, [two.name]])
  }
  const renamed = await service.call(routes.updatePortfolio, { id, body: { name: 'Stores' } })
  expect(renamed.body).toMatchObject({
    ok: true,
    portfolio: { name: 'Stores', members: [{ project: two.name }] },
  })
})

test('a deleted portfolio sets its projects free, and a deleted project drops out of its portfolio', async () => {
  const [one, two] = [await service.createProject(), await service.createProject()]
  const { id } = (await create({ projects: [one.id, two.id] })).body.portfolio as { id: string }
  await service.call(routes.deleteProject, { id: two.id })
  expect(await membersOf(id)).toEqual([one.name])
  expect((await service.call(routes.deletePortfolio, { id })).body).toEqual({ ok: true, deleted: id })
  expect((await service.call(routes.deletePortfolio, { id })).status).toBe(404)
  expect((await create({ projects: [one.id] })).status).toBe(201)
})

test.each<[what: string, body: unknown]>([
  ['without a slug', { name: 'A' }],
  ['without a name', { slug: 'bad-1' }],
  ['with capitals in the slug', { slug: 'Bad', name: 'A' }],
  ['with a slug that begins with a dash', { slug: '-bad', name: 'A' }],
  ['with a slug of 65 characters', { slug: 'x'.repeat(65), name: 'A' }],
  ['with a name of 129 characters', { slug: 'bad-2', name: 'x'.repeat(129) }],
  ['with projects that are no list', { slug: 'bad-3', name: 'A', projects: 'one' }],
  ['with allow_move that is no boolean', { slug: 'bad-4', name: 'A', allow_move: 'yes' }],
])('POST /portfolios %s is refused', async (_what, body) => {
  expect(await service.call(routes.createPortfolio, { body })).toMatchObject({
    status: 400,
    body: { error: 'MISSING_FIELDS' },
  })
})

test('unknown projects, empty changes and foreign portfolios are refused', async () => {
  expect(await create({ projects: ['nobody-has-this'] })).toMatchObject({ status: 404 })
  const { id } = (await create()).body.portfolio as { id: string }
  expect(await service.call(routes.updatePortfolio, { id, body: {} })).toMatchObject({
    status: 400,
    body: { error: 'MISSING_FIELDS' },
  })
  const foreign = { id, key: service.strangersKey }
  expect((await service.call(routes.readPortfolio, foreign)).status).toBe(404)
  expect((await service.call(routes.updatePortfolio, { ...foreign, body: { name: 'Mine' } })).status).toBe(
    404,
  )
  expect((await service.call(routes.deletePortfolio, foreign)).status).toBe(404)
})
