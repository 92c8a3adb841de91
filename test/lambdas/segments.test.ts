import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

/** Conditions with a name (docs/api/segments.md). What holds for every row is tested in routes.test.ts. */

let service: HttpService
let project: Project
beforeAll(async () => {
  service = await openHttpService()
  project = await service.createProject()
})
afterAll(() => service.close())

const GERMANS = { field: 'country', op: 'eq', value: 'DE' }

function put(of: Project, name: string, body: Record<string, unknown>, ifMatch?: string) {
  const headers: Record<string, string> = ifMatch === undefined ? {} : { 'If-Match': ifMatch }
  return service.call(routes.putSegment, { id: of.id, part: name, body, headers })
}

function ask(of: Project, query: Record<string, unknown>) {
  const texts = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return service.call(routes.stats, {
    query: { project: of.name, sql: 'true', ...Object.fromEntries(texts) },
  })
}

describe('a segment', () => {
  test('is created, read, listed by name, replaced and deleted', async () => {
    const own = await service.createProject()
    const created = await put(own, 'germans', { title: 'From Germany', where: GERMANS })
    const segment = {
      ...{ name: 'germans', title: 'From Germany', where: GERMANS },
      ...{ updated_at: service.now(), etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) },
    }
    expect([created.status, created.body]).toEqual([201, segment])
    expect(created.headers.get('etag')).toBe(created.body.etag)
    await put(own, 'austrians', { where: { ...GERMANS, value: 'AT' } })
    const list = await service.call(routes.listSegments, { id: own.name })
    const listed = list.body.segments as { name: string; title: string | null }[]
    expect(listed.map(({ name, title }) => [name, title])).toEqual([
      ['austrians', null],
      ['germans', 'From Germany'],
    ])
    const replaced = await put(own, 'germans', { where: { did: { event: 'signup' } } })
    expect([replaced.status, replaced.body.title]).toEqual([200, null])
    const read = await service.call(routes.readSegment, { id: own.id, part: 'germans' })
    expect(read.body).toEqual(replaced.body)
    expect(read.headers.get('etag')).toBe(replaced.body.etag)
    const removal = { id: own.id, part: 'germans' }
    expect((await service.call(routes.deleteSegment, removal)).status).toBe(200)
    expect((await service.call(routes.deleteSegment, removal)).status).toBe(404)
    expect((await service.call(routes.readSegment, removal)).status).toBe(404)
  })

  test('is replaced and deleted with If-Match only in the version that it names', async () => {
    const own = await service.createProject()
    expect((await put(own, 'a', { where: GERMANS }, '*')).status).toBe(412)
    const first = String((await put(own, 'a', { where: GERMANS })).body.etag)
    expect((await put(own, 'a', { where: GERMANS }, first)).body.etag).toBe(first)
    const second = await put(own, 'a', { title: 'Other', where: GERMANS }, `W/${first}`)
    expect(second.status).toBe(200)
    expect(await put(own, 'a', { where: GERMANS }, first)).toMatchObject({
      status: 412,
      body: { error: 'PRECONDITION_FAILED' },
    })
    const removal = (ifMatch: string) =>
      service.call(routes.deleteSegment, { id: own.id, part: 'a', headers: { 'If-Match': ifMatch } })
    expect((await removal(first)).status).toBe(412)
    expect((await removal(String(second.body.etag))).status).toBe(200)
  })

  test('of a project is one of 100 at most, also when 120 requests come at once', async () => {
    const own = await service.createProject()
    const names = Array.from({ length: 120 }, (_, i) => `s${i}`)
    const answers = await Promise.all(names.map(name => put(own, name, { where: GERMANS })))
    const stored = (await service.segments.list(own.id)).length
    expect(stored).toBeLessThanOrEqual(100)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(stored)
    for (const name of names)
      if ((await service.segments.list(own.id)).length < 100) await put(own, name, { where: GERMANS })
    expect(await service.segments.list(own.id)).toHaveLength(100)
    const refused = await put(own, 'one-more', { where: GERMANS })
    expect(refused).toMatchObject({ status: 400, body: { error: 'MISSING_FIELDS' } })
    expect(refused.body.message).toContain('Remove one')
    const [{ name = '' } = {}] = await service.segments.list(own.id)
    expect((await put(own, name, { title: 'Replaced', where: GERMANS })).status).toBe(200)
  })

  const deep = { not: { not: { not: { not: { not: GERMANS } } } } }
  test.each<[string, string, Record<string, unknown>, string]>([
    ['with a space in its name', 'my segment', { where: GERMANS }, 'MISSING_FIELDS'],
    ['with a name of 65 characters', 'n'.repeat(65), { where: GERMANS }, 'MISSING_FIELDS'],
    ['without a condition', 'a', {}, 'MISSING_FIELDS'],
    ['with an empty title', 'a', { where: GERMANS, title: '' }, 'MISSING_FIELDS'],
    ['with a title of 101 characters', 'a', { where: GERMANS, title: 't'.repeat(101) }, 'MISSING_FIELDS'],
    ['with six conditions inside each other', 'a', { where: deep }, 'MISSING_FIELDS'],
    ['with 101 leaves', 'a', { where: { or: Array(101).fill(GERMANS) } }, 'MISSING_FIELDS'],
    [
      'with a condition of more than 8,192 characters',
      'a',
      { where: { ...GERMANS, value: 'x'.repeat(8_192) } },
      'MISSING_FIELDS',
    ],
    ['that names another one', 'a', { where: { not: { segment: 'b' } } }, 'MISSING_FIELDS'],
    ['that names itself', 'a', { where: { and: [GERMANS, { segment: 'a' }] } }, 'MISSING_FIELDS'],
    ['about an unknown field', 'a', { where: { ...GERMANS, field: 'path' } }, 'INVALID_FILTER_FIELD'],
    [
      'with a glob of nine stars, inside',
      'a',
      {
        where: { did: { event: 'a', where: { field: 'properties.path', op: 'glob', value: '*'.repeat(9) } } },
      },
      'INVALID_FILTER_FIELD',
    ],
    ['with a bad key', 'a', { where: { ...GERMANS, field: 'properties.a.b' } }, 'INVALID_PROPERTY_KEY'],
  ])('is refused %s', async (_, name, body, error) => {
    const refused = await put(project, name, body)
    expect([refused.status, refused.body.error]).toEqual([400, error])
  })
})

describe('a read with a segment', () => {
  const BUYERS = { did: { event: 'purchase', at_least: 2, within: '90d' } }

  test.each([
    ['in where', { where: { segment: 'buyers' } }, { where: BUYERS }],
    ['in filter', { filter: 'segment:eq:buyers' }, { where: BUYERS }],
    [
      'inside other conditions',
      { where: { or: [{ not: { segment: 'buyers' } }, { person: { and: [{ segment: 'germans' }] } }] } },
      { where: { or: [{ not: BUYERS }, { person: { and: [GERMANS] } }] } },
    ],
    [
      'in the condition of `did`',
      { where: { did: { event: 'page_view', where: { session: { segment: 'germans' } } } } },
      { where: { did: { event: 'page_view', where: { session: GERMANS } } } },
    ],
    [
      'beside another one and a filter',
      { where: { segment: 'germans' }, filter: 'segment:eq:buyers' },
      { where: { and: [GERMANS, BUYERS] } },
    ],
  ])('asks what the written condition asks: %s', async (_, named, written) => {
    await put(project, 'buyers', { where: BUYERS })
    await put(project, 'germans', { where: GERMANS })
    const [byName, whole] = [await ask(project, named), await ask(project, written)]
    expect(byName.status).toBe(200)
    expect(byName.body.sql).toEqual(whole.body.sql)
    expect(JSON.stringify(byName.body.sql)).not.toBe(JSON.stringify((await ask(project, {})).body.sql))
  })

  test('sees a change of the segment at once', async () => {
    const own = await service.createProject()
    const read = async () => JSON.stringify((await ask(own, { filter: 'segment:eq:a' })).body.sql)
    await put(own, 'a', { where: GERMANS })
    const before = await read()
    expect(before).toContain('"DE"')
    await put(own, 'a', { where: { ...GERMANS, value: 'AT' } })
    expect(await read()).toContain('"AT"')
  })

  test('of another project, or of nobody, is refused with what to do', async () => {
    const other = await service.createProject()
    await put(project, 'ours', { where: GERMANS })
    for (const name of ['ours', 'constructor']) {
      const refused = await ask(other, { where: { segment: name } })
      expect([refused.status, refused.body.error]).toEqual([400, 'MISSING_FIELDS'])
      expect(refused.body.message).toContain(`no segment \`${name}\``)
      expect(refused.body.message).toContain('GET /projects/{id}/segments')
    }
  })

  test.each([
    ['another operator', { filter: 'segment:neq:buyers' }],
    ['a name of another form', { filter: 'segment:eq:my buyers' }],
    ['no text', { where: { segment: 7 } }],
    ['a field beside it', { where: { segment: 'buyers', at_least: 2 } }],
  ])('is refused with %s', async (_, query) => {
    const refused = await ask(project, query)
    expect([refused.status, refused.body.error]).toEqual([400, 'MISSING_FIELDS'])
  })

  test('has the bounds of the whole condition', async () => {
    const own = await service.createProject()
    await put(own, 'deep', { where: { not: { not: GERMANS } } })
    await put(own, 'wide', { where: { or: Array(60).fill(GERMANS) } })
    expect((await ask(own, { where: { not: { not: { segment: 'deep' } } } })).status).toBe(200)
    for (const query of [
      { where: { not: { not: { not: { segment: 'deep' } } } } },
      { where: { or: [{ segment: 'wide' }, { segment: 'wide' }] } },
      { where: { segment: 'wide' }, filter: 'segment:eq:wide' },
    ]) {
      const refused = await ask(own, query)
      expect([refused.status, refused.body.error]).toEqual([400, 'MISSING_FIELDS'])
      expect(refused.body.message).toContain('What its segments have counts too')
    }
  })
})

test('a share link names no segment, whatever the segment asks', async () => {
  await put(project, 'one-person', { where: { field: 'user_id', op: 'eq', value: 'u1' } })
  await put(project, 'germans', { where: GERMANS })
  const created = await service.call(routes.createShareLink, { id: project.id, body: {} })
  const token = String(created.body.url).split('/').at(-1)
  const link = { key: null, headers: { Authorization: `Bearer ${token}` } }
  const query = { project: project.name }
  for (const name of ['one-person', 'germans', 'unknown']) {
    const conditions: Record<string, string>[] = [
      { where: JSON.stringify({ segment: name }) },
      { filter: `segment:eq:${name}` },
    ]
    for (const condition of conditions)
      expect(await service.call(routes.stats, { ...link, query: { ...query, ...condition } })).toMatchObject({
        status: 403,
        body: { error: 'FORBIDDEN' },
      })
  }
  const inBody = { project: project.name, where: { segment: 'germans' } }
  expect((await service.call(routes.query, { ...link, body: inBody })).status).toBe(403)
})
