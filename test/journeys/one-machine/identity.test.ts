import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/** Who is who, from POST /identify to the reports, and what of it is on the disk. */

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(cleanUp)

type Json = Record<string, unknown>

async function call(method: string, path: string, body?: Json): Promise<Json> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { 'X-API-Key': service.credentials.api_key, 'User-Agent': HUMAN_USER_AGENT },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const json = (await response.json()) as Json
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
  return json
}

async function newProject(name: string): Promise<{ id: string; name: string; project_token: string }> {
  return (await call('POST', '/projects', { name })) as { id: string; name: string; project_token: string }
}

/** Every file of the data folder that contains one of the texts, whatever its upper and lower case. */
function filesWith(texts: readonly string[]): string[] {
  return readdirSync(service.dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => {
      const content = readFileSync(path).toString('latin1').toLowerCase()
      return texts.some(text => content.includes(text))
    })
}

const usersOf = (body: Json) => (body.events as { user_id: string }[]).map(({ user_id }) => user_id)

test('a user who signs up is one person in all reports, is found by e-mail, and the address is nowhere on the disk', async () => {
  const { name: project, project_token: token } = await newProject('shop')
  const track = (user_id: string) =>
    call('POST', '/track', { token, event: 'page_view', user_id, session_id: 's1' })
  await track('anon_1')
  await call('POST', '/identify', {
    token,
    previous_id: 'anon_1',
    user_id: 'u1',
    traits: { email: '  Ada.Lovelace@Example.COM', plan: 'pro', second_email: 'ada.private@example.com' },
  })
  await track('u1')
  await track('anon_1')
  const lookup = { project, email: 'ada.lovelace@example.com' }
  await eventually(async () => {
    expect(usersOf(await call('POST', '/events/lookup', lookup))).toEqual(['u1', 'u1', 'u1'])
  })
  expect(await call('POST', '/journey/lookup', { project, user_id: 'anon_1' })).toMatchObject({
    count: 3,
    profiles: [{ user_id: 'u1', project, traits: { plan: 'pro' } }],
  })
  expect(await call('GET', `/stats?project=${project}`)).toMatchObject({
    totals: { unique_users: 1, total_events: 3 },
  })
  expect(await call('POST', '/query', { project, email: 'ADA.LOVELACE@example.com' })).toMatchObject({
    rows: [{ event_count: 1 }],
  })
  expect(await call('POST', '/query', { project, email: 'nobody@example.com' })).toMatchObject({
    rows: [{ event_count: 0 }],
  })
  expect(await call('POST', '/events', { project, email: 'nobody@example.com' })).toMatchObject({
    events: [],
    profiles: [],
  })
  expect(filesWith(['ada.lovelace', 'ada.private', 'nobody@'])).toEqual([])
  // The search finds what is there.
  expect(filesWith(['anon_1'])).not.toEqual([])
})

test('reports ask for the people who have a trait now, and for nobody whose traits were erased', async () => {
  const { id, name: project, project_token: token } = await newProject('traits')
  const track = (user_id: string) => call('POST', '/track', { token, event: 'page_view', user_id })
  await track('anon_pro')
  await track('u-free')
  await call('POST', '/identify', {
    ...{ token, previous_id: 'anon_pro', user_id: 'u-pro' },
    traits: { plan: 'pro', 'seats.used': 7 },
  })
  await call('PUT', `/projects/${id}/segments/pro`, {
    ...{ title: 'Pro', where: { field: 'traits.plan', op: 'eq', value: 'pro' } },
  })
  const usersWhere = async (filter: string) => {
    const body = await call('GET', `/events?project=${project}&filter=${encodeURIComponent(filter)}`)
    expect(String(body.warnings ?? '')).not.toContain('partial')
    return usersOf(body)
  }
  await eventually(async () => {
    expect(await usersWhere('traits.plan:eq:pro')).toEqual(['u-pro'])
    expect(await usersWhere('traits.plan:exists:false')).toEqual(['u-free'])
  })
  expect(await usersWhere('segment:eq:pro')).toEqual(['u-pro'])
  expect(await usersWhere('traits["seats.used"]:gt:6')).toEqual(['u-pro'])
  const rate = 'rate({"field":"traits.plan","op":"eq","value":"pro"})'
  expect(await call('POST', '/query', { project, metrics: [rate] })).toMatchObject({
    rows: [{ [rate]: 0.5 }],
  })
  const steps = [{ event: 'page_view' }, { event: 'page_view' }]
  const where = { field: 'traits.plan', op: 'in', value: ['pro', 'team'] }
  expect(await call('POST', '/funnel', { project, steps, where })).toMatchObject({
    steps: [{ users: 1 }, { users: 0 }],
  })
  await call('DELETE', `/users/u-pro?project=${project}`)
  await track('u-pro')
  await eventually(async () => {
    expect(await usersWhere('user_id:eq:u-pro')).toEqual(['u-pro'])
  })
  expect(await usersWhere('traits.plan:exists')).toEqual([])
})

test('projects of a portfolio share users once their domains are linked', async () => {
  const [site, store] = [await newProject('site'), await newProject('store')]
  await call('POST', '/portfolios', { slug: 'acme', name: 'Acme', projects: [site.name, store.id] })
  for (const [token, user_id] of [
    [site.project_token, 'anon_a'],
    [store.project_token, 'anon_b'],
  ]) {
    await call('POST', '/track', { token, event: 'page_view', user_id })
  }
  await call('POST', '/identify', {
    ...{ token: store.project_token, previous_id: 'anon_b', user_id: 'u7' },
    traits: { email: 'grace@example.com' },
  })
  await eventually(async () => {
    const alone = await call('GET', `/journey?project=${store.name}&email=grace@example.com`)
    expect(usersOf(alone)).toEqual(['u7'])
  })
  expect(await call('GET', `/journey?project=${site.name}&email=grace@example.com`)).toMatchObject({
    count: 0,
  })

  await call('PATCH', `/projects/${store.id}`, { link_domains: ['site.example'] })
  // The link of the tracker is the other half for the first project.
  await call('POST', '/identify', { token: site.project_token, previous_id: 'anon_a', user_id: 'anon_b' })
  await eventually(async () => {
    const joined = await call('GET', `/journey?project=${site.name}&email=grace@example.com`)
    expect((joined.events as Json[]).map(({ user_id, project }) => [user_id, project])).toEqual([
      ['u7', site.name],
      ['u7', store.name],
    ])
  })
  await call('DELETE', '/portfolios/acme')
  expect(await call('GET', `/journey?project=${site.name}&email=grace@example.com`)).toMatchObject({
    count: 0,
  })
  expect(usersOf(await call('GET', `/journey?project=${site.name}&user_id=anon_a`))).toEqual(['anon_b'])
})
