import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { annotationsPartition } from '#core/projects/annotations'
import type { Project } from '#core/projects/project'
import { writeItems } from '#core/state/write-items'
import { MAX_ANNOTATIONS } from '#schemas/contexts'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

/** Contexts that several write at the same time, and annotations that are items of their own (U98, U99). */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

type Annotation = { id?: string; occurred_at: string; title: string; note?: string }

const RELEASE = { occurred_at: '2026-11-20', title: 'Release 2.4', note: 'Faster' }

async function readContext(of: Project) {
  const { body, headers } = await service.call(routes.readProjectContext, { query: { project: of.name } })
  const { annotations, ...lists } = body.project_context as { annotations: Annotation[] }
  return { annotations, lists, etag: String(body.etag), header: headers.get('etag') }
}

const putContext = (of: Project, lists: object, etag?: string) =>
  service.call(routes.putProjectContext, {
    body: { project: of.name, ...lists },
    ...(etag !== undefined && { headers: { 'If-Match': etag } }),
  })

const annotate = (of: Project, body: object = RELEASE) =>
  service.call(routes.createAnnotation, { id: of.id, body })

describe('a context', () => {
  test('is replaced only in the version that If-Match names', async () => {
    const own = await service.createProject()
    const { etag, header } = await readContext(own)
    expect([header, etag]).toEqual([etag, expect.stringMatching(/^"[0-9a-f]{32}"$/)])
    const first = await putContext(own, { goals: ['First'] }, etag)
    expect([first.status, first.headers.get('etag')]).toEqual([200, first.body.etag])
    expect(await putContext(own, { goals: ['Second'] }, etag)).toMatchObject({
      status: 412,
      body: { error: 'PRECONDITION_FAILED', message: expect.stringContaining('Get it again') },
    })
    expect((await readContext(own)).lists).toMatchObject({ goals: ['First'] })
    // A list of versions, the mark of a compressing proxy, any version, and no condition at all.
    for (const accepted of [`"0", ${first.body.etag}`, `W/${first.body.etag}`, '*', undefined]) {
      expect((await putContext(own, { goals: ['First'] }, accepted)).status).toBe(200)
    }
    for (const refused of ['first', '"0"', '""']) {
      expect((await putContext(own, { goals: ['Third'] }, refused)).status).toBe(412)
    }
  })

  test('of ten writers with If-Match at the same time none loses an entry', async () => {
    const own = await service.createProject()
    async function add(title: string): Promise<void> {
      const { annotations, etag } = await readContext(own)
      const sent = { annotations: [...annotations, { occurred_at: '2026-11-20', title }] }
      const { status } = await putContext(own, sent, etag)
      if (status === 412) return add(title)
      expect(status).toBe(200)
    }
    const titles = Array.from({ length: 10 }, (_, i) => `Release ${i}`)
    await Promise.all(titles.map(add))
    expect((await readContext(own)).annotations.map(({ title }) => title).toSorted()).toEqual(titles)
  })

  test('of all projects has a version in the same way', async () => {
    const { body, headers } = await service.call(routes.readPortfolioContext)
    expect(headers.get('etag')).toBe(body.etag)
    const put = (goal: string, etag: string) =>
      service.call(routes.putPortfolioContext, { body: { goals: [goal] }, headers: { 'If-Match': etag } })
    expect((await put('First', String(body.etag))).status).toBe(200)
    expect((await put('Second', String(body.etag))).status).toBe(412)
  })
})

describe('an annotation', () => {
  test('is written alone, shown in the context and in reports of its range, and deleted alone', async () => {
    const own = await service.createProject()
    const before = await putContext(own, { goals: ['More'], annotations: [{ ...RELEASE, title: 'Listed' }] })
    const created = await annotate(own)
    expect(created).toMatchObject({ status: 201, body: { ...RELEASE, id: expect.stringMatching(/^ann_/) } })
    await annotate(own, { occurred_at: '2020-01-01T00:00:00+02:00', title: 'Long ago' })
    const { annotations, etag } = await readContext(own)
    expect(annotations.map(({ title }) => title)).toEqual(['Listed', 'Long ago', 'Release 2.4'])
    // A version names the lists that a PUT replaces, so CI that notes a release makes no PUT fail.
    expect(etag).toBe(before.body.etag)
    const { body } = await service.call(routes.stats, { query: { project: own.name } })
    expect(body.project_context).toMatchObject({ annotations: [{ title: 'Listed' }, created.body] })
    const removal = { id: own.id, part: String(created.body.id) }
    expect(await service.call(routes.deleteAnnotation, removal)).toMatchObject({ status: 200 })
    expect(await service.call(routes.deleteAnnotation, removal)).toMatchObject({
      status: 404,
      body: { error: 'NOT_FOUND' },
    })
    expect((await readContext(own)).annotations.map(({ title }) => title)).toEqual(['Listed', 'Long ago'])
  })

  test('of fifty writers at the same time, none is lost', async () => {
    const own = await service.createProject()
    const titles = Array.from({ length: 50 }, (_, i) => `Release ${i}`)
    const answers = await Promise.all(titles.map(title => annotate(own, { ...RELEASE, title })))
    expect(answers.map(({ status }) => status)).toEqual(titles.map(() => 201))
    const stored = (await readContext(own)).annotations.map(({ title }) => title)
    expect(stored.toSorted()).toEqual(titles.toSorted())
  })

  test('stays when the context is replaced, also by what a client has read before', async () => {
    const own = await service.createProject()
    const gone = (await annotate(own, { ...RELEASE, title: 'Gone' })).body
    const { annotations } = await readContext(own)
    const kept = (await annotate(own)).body
    await service.call(routes.deleteAnnotation, { id: own.id, part: String(gone.id) })
    const withoutIds = annotations.map(({ id: _, ...content }) => content)
    for (const sent of [annotations, [...annotations, RELEASE], []]) {
      expect((await putContext(own, { annotations: sent })).status).toBe(200)
      expect((await readContext(own)).annotations).toEqual([kept])
    }
    // Without its id nothing says that the annotation was deleted.
    await putContext(own, { annotations: withoutIds })
    expect((await readContext(own)).annotations.map(({ title }) => title)).toEqual(['Gone', kept.title])
    const changed = await putContext(own, { annotations: [{ ...kept, title: 'Other' }] })
    expect(changed).toMatchObject({ status: 400, body: { error: 'INVALID_BODY' } })
  })

  /** Annotations as earlier versions have stored them: in numbered places. */
  async function addInPlaces(of: Project, count: number): Promise<Annotation[]> {
    const places = Array.from({ length: count }, (_, i) => i.toString(16).padStart(3, '0'))
    const records = places.map(sk => ({ ...RELEASE, id: `ann_${sk}00000000000000` }))
    const pk = annotationsPartition(of.id)
    await writeItems(
      service.state,
      records.map((each, i) => ({
        PutRequest: { Item: { pk, sk: places[i], id: each.id, record: JSON.stringify(each) } },
      })),
    )
    return records
  }

  test('is one of at most 1,000 of a project, also when more come at once', async () => {
    const own = await service.createProject()
    const left = 5
    await addInPlaces(own, MAX_ANNOTATIONS - left)
    const answers = await Promise.all(Array.from({ length: left + 5 }, () => annotate(own)))
    const added = answers.filter(({ status }) => status === 201).length
    expect(added).toBeLessThanOrEqual(left)
    // Of those at the same time some may find no place; alone, each finds one.
    for (let i = added; i < left; i++) expect((await annotate(own)).status).toBe(201)
    expect(await service.annotations.list(own.id)).toHaveLength(MAX_ANNOTATIONS)
    expect(await annotate(own)).toMatchObject({
      status: 400,
      body: { error: 'MISSING_FIELDS', message: expect.stringContaining('Remove one') },
    })
    expect(await service.annotations.list(own.id)).toHaveLength(MAX_ANNOTATIONS)
  })

  test('of an earlier version is in the context and in reports, and can be deleted', async () => {
    const own = await service.createProject()
    const stored = await addInPlaces(own, 2)
    const created = (await annotate(own)).body
    expect((await readContext(own)).annotations).toEqual([...stored, created])
    const { body } = await service.call(routes.stats, { query: { project: own.name } })
    expect(body.project_context).toMatchObject({ annotations: [...stored, created] })
    const removal = { id: own.id, part: String(stored[0]?.id) }
    expect((await service.call(routes.deleteAnnotation, removal)).status).toBe(200)
    expect((await readContext(own)).annotations).toEqual([stored[1], created])
    // A client sends back what it has read.
    expect((await putContext(own, { annotations: [stored[1], created] })).status).toBe(200)
  })

  test('before the range of a report is not read for it', async () => {
    const own = await service.createProject()
    const times = ['0000-01-01T00:00:00+14:00', '2025-11-20', '2026-11-01T00:30:00+02:00', '2026-11-20']
    for (const occurred_at of [...times, '9999-12-31T23:59:59-12:00']) {
      expect((await annotate(own, { ...RELEASE, occurred_at })).status).toBe(201)
    }
    expect(await service.annotations.list(own.id)).toHaveLength(5)
    const since = async (at: string) =>
      (await service.annotations.list(own.id, Date.parse(at))).map(each => each.occurred_at.slice(0, 10))
    expect(await since('2026-11-20')).toEqual(['2026-11-20', '9999-12-31'])
    // In UTC it is a time of October.
    expect(await since('2026-11-01')).toEqual(['2026-11-20', '9999-12-31'])
    expect(await since('2026-10-31T23:00:00Z')).toEqual(['2026-11-01', '2026-11-20', '9999-12-31'])
    for (const tz of ['UTC', 'Europe/Berlin']) {
      const query = { project: own.name, since: '2026-11-01', tz }
      const { body } = await service.call(routes.stats, { query })
      const { annotations } = body.project_context as { annotations: Annotation[] }
      expect(annotations.map(each => each.occurred_at)).toEqual(times.slice(2))
    }
  })

  test.each<[string, object]>([
    ['without a time', { title: 'x' }],
    ['without a title', { occurred_at: '2026-11-20' }],
    ['with a time that is none', { ...RELEASE, occurred_at: 'yesterday' }],
    ['with a time that is relative', { ...RELEASE, occurred_at: '7d' }],
    ['with a date that no calendar has', { ...RELEASE, occurred_at: '2026-02-30' }],
    ['with a title of 121 characters', { ...RELEASE, title: 'x'.repeat(121) }],
    ['with a note of 501 characters', { ...RELEASE, note: 'x'.repeat(501) }],
    ['with an unknown field', { ...RELEASE, date: '2026-11-20' }],
    ['with an id', { ...RELEASE, id: 'ann_00000000000000000' }],
  ])('is refused %s', async (_, body) => {
    const refused = await annotate(await service.createProject(), body)
    expect([refused.status, refused.body.error]).toEqual([400, 'INVALID_BODY'])
  })

  test('of another project is not found', async () => {
    const [own, other] = [await service.createProject(), await service.createProject()]
    const { id } = (await annotate(other)).body
    for (const part of [String(id), 'ann_00000000000000000', 'view_0', '']) {
      expect((await service.call(routes.deleteAnnotation, { id: own.id, part })).status).toBe(404)
    }
    expect(await service.annotations.list(other.id)).toHaveLength(1)
  })
})
