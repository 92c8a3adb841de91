import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanUp, newFolder } from '#test/support/service-process'
import type { Runner } from './built-cli.ts'
import { demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { createRunner } from './world.ts'

/** The result of a change cannot be asked for again, so no output option may lose it. */

let run: Runner

beforeAll(async () => {
  const service = await demoService()
  run = createRunner({ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder() })
  await signIn(run, service)
})
afterAll(cleanUp)

test.each([
  ['create', ['create', 'trap', '--domain', 'https://trap.example', '--csv']],
  ['create with a table', ['create', 'trap', '--domain', 'https://trap.example', '--csv', '--table', 'x']],
  ['delete', ['delete', 'demo', '--confirm', '--csv']],
  ['replays delete', ['replays', 'delete', '--all', '--confirm', 'delete_replay_data', '--csv']],
  ['annotations add', ['annotations', 'add', 'demo', '--title', 'x', '--at', '2026-11-20', '--csv']],
  ['feedback', ['feedback', '--message', 'm', '--csv']],
  ['experiments delete', ['experiments', 'delete', 'exp_1', '--confirm', '--csv']],
])('%s refuses --csv before it asks the service', async (_, args) => {
  // Any call would end with AUTH_REQUIRED here.
  expect(await run(args, { AA_CONFIG_DIR: newFolder() })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'This command prints no table.\nUse --json.\n',
  })
})

test('a field that the result of a change lacks is named, and the whole result is printed', async () => {
  const created = await run(['create', 'first', '--domain', '*', '--json', '--fields', 'nosuch'])
  expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('nosuch') })
  expect(JSON.parse(created.stdout)).toMatchObject({ name: 'first', project_token: expect.any(String) })
  const changed = await run(['update', 'first', '--origins', 'https://a.example', '--fields', 'nosuch'])
  expect(changed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Token +aat_/),
    stderr:
      '--fields has nothing of the name nosuch. The command has done its work, so this is the whole answer.\n',
  })
})

test('a table that the result of a change lacks is named, and the whole result is printed', async () => {
  const lists = '{"goals":["More signups"]}'
  await run(['create', 'planned', '--domain', '*'])
  const set = ['context', 'set', 'planned', '--file', lists, '--csv']
  expect((await run(set)).stdout).toContain('More signups')
  expect(await run([...set, '--table', 'nosuch'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('More signups'),
    stderr: expect.stringContaining('--table has nothing of the name nosuch.'),
  })
})

test('a dry run with a field that is not there is an error, because nothing was done', async () => {
  const args = ['create', 'second', '--domain', '*', '--dry-run', '--fields', 'nosuch']
  expect(await run(args)).toMatchObject({ code: 1, stdout: '' })
})

test('a context is replaced only in the version that was read, and an annotation is added and deleted alone', async () => {
  await run(['create', 'noted', '--domain', '*'])
  const read = async () => JSON.parse((await run(['context', 'get', 'noted', '--json'])).stdout)
  const { etag } = await read()
  expect((await run(['context', 'get', 'noted'])).stdout).toContain(etag)
  const set = (goal: string) =>
    run(['context', 'set', 'noted', '--file', JSON.stringify({ goals: [goal] }), '--if-match', etag])
  expect(await set('First')).toMatchObject({ code: 0 })
  expect(await set('Second')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has changed since it was read'),
  })
  const flags = ['--title', 'Release 2.4', '--at', '2026-11-20']
  const { id } = JSON.parse((await run(['annotations', 'add', 'noted', ...flags, '--json'])).stdout)
  expect((await read()).project_context).toMatchObject({ goals: ['First'], annotations: [{ id }] })
  expect(await run(['annotations', 'delete', 'noted', id, '--confirm'])).toMatchObject({ code: 0 })
  expect((await read()).project_context).toMatchObject({ goals: ['First'], annotations: [] })
})

test('a segment is set, listed, used by a report, replaced only in the version that was read, and deleted', async () => {
  await run(['create', 'segmented', '--domain', '*'])
  const set = (...more: string[]) => run(['segments', 'set', 'segmented', 'germans', ...more, '--json'])
  const created = await set('--filter', 'country=DE', '--title', 'From Germany')
  expect(created).toMatchObject({ code: 0 })
  const { etag, where } = JSON.parse(created.stdout)
  expect(where).toEqual({ field: 'country', op: 'eq', value: 'DE' })
  expect((await run(['segments', 'list', 'segmented'])).stdout).toContain('From Germany')
  expect(await run(['stats', 'segmented', '--segment', 'germans', '--json'])).toMatchObject({ code: 0 })
  expect(await run(['stats', 'segmented', '--segment', 'buyers'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no segment `buyers`'),
  })
  const buyers = ['--where', '{"did":{"event":"purchase"}}', '--if-match', etag]
  expect(await set(...buyers)).toMatchObject({ code: 0 })
  expect(await set(...buyers)).toMatchObject({ code: 1 })
  expect(await set()).toMatchObject({ code: 1, stderr: expect.stringContaining('needs a condition') })
  const removal = ['segments', 'delete', 'segmented', 'germans', '--confirm']
  expect(await run(removal)).toMatchObject({ code: 0 })
  expect(await run(removal)).toMatchObject({ code: 1 })
})

test('a rate keeps its commas in the list of --metrics', async () => {
  const rate = 'rate({"field":"event","op":"in","value":["signup","purchase"]})'
  const metrics = ['--metrics', `unique_users,${rate}`, '--group-by', 'channel,hour']
  const { code, stdout } = await run(['query', 'demo', ...metrics, '--demo', '--json'])
  expect([code, JSON.parse(stdout).metrics]).toEqual([0, ['unique_users', rate]])
})
