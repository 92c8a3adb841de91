import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import type { Config } from '#cli/session/store'
import type { Project } from '#core/projects/project'
import { SCOPES } from '#schemas/scopes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { newFinishedReplay } from '#test/support/replays'
import { cleanUp, newFolder } from '#test/support/service-process'
import type { Runner } from './built-cli.ts'
import { createRunner } from './world.ts'

/** The commands of session replay, against a real service. */

let service: HttpService
let project: Project
let run: Runner

beforeAll(async () => {
  service = await openHttpService()
  project = await service.createProject()
  const client = { client_type: 'cli', client_name: null, client_instance_id: null, label: null }
  const issued = await service.agentSessions.issue(service.owner.id, { ...client, scopes: [...SCOPES] })
  const { id, email, tier, code_host_login, idp_name } = service.owner
  const baseUrl = `http://127.0.0.1:${service.port}`
  const account = { id, email, tier, code_host_login, idp_name }
  // The clock of the service stands still, in the past.
  const expiries = { access_expires_at: Date.now() + 3_600_000, refresh_expires_at: Date.now() + 3_600_000 }
  const config: Config = {
    version: 1,
    base_url: baseUrl,
    sessions: { [baseUrl]: { ...issued, ...expiries, account } },
  }
  const folder = newFolder()
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 })
  run = createRunner({ AA_BASE_URL: baseUrl, AA_CONFIG_DIR: folder, COLUMNS: '100' })
})
afterAll(async () => {
  await service.close()
  await cleanUp()
})

test('recording is turned on with rules, shown, and turned off', async () => {
  const on = await run(['replays', 'enable', project.name, '--mask', '.name,.street', '--json'])
  expect([on.code, on.stderr]).toEqual([0, expect.stringContaining('/replay.js')])
  expect(JSON.parse(on.stdout).settings).toMatchObject({
    enabled: true,
    mask_selectors: ['.name', '.street'],
  })
  const shown = await run(['replays', 'settings', project.name])
  expect(shown.stdout).toMatch(/Recording +on[\s\S]*\.name, \.street/)
  expect((await run(['replays', 'disable', project.name])).stdout).toMatch(/Recording +off/)
})

test('replays are listed, and that of a session is opened by the secret of the viewer', async () => {
  const { id, upload } = await newFinishedReplay(service, project)
  const list = await run([
    'replays',
    'list',
    '--project',
    project.name,
    '--session',
    upload.session_id,
    '--json',
  ])
  expect(JSON.parse(list.stdout).replays).toMatchObject([{ id, status: 'complete' }])
  expect((await run(['replays', 'get', id])).stdout).toMatch(/Can be played +yes/)
  const opened = await run(['replays', 'open', '--session', upload.session_id, '--json'])
  expect(JSON.parse(opened.stdout).viewer_url).toMatch(/\/replay\/viewer#aav_[0-9a-f]{64}$/)
  expect(opened.stderr).toContain('is a secret')
  // The secret is the answer, so the address for a person has all of it.
  const shown = await run(['replays', 'open', id])
  expect(shown.stdout).toMatch(/\/replay\/viewer#aav_[0-9a-f]{64}$/m)
  const none = await run(['replays', 'open', '--session', 's-none'])
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no replay that can be played')])
  expect((await run(['replays', 'open'])).code).toBe(1)
  expect((await run(['replays', 'usage'])).stdout).toMatch(/stored/)
})

test('the examples in the help of these commands run for who is signed in', async () => {
  const { id } = await newFinishedReplay(service, project)
  const examples = commands.filter(({ group, effect }) => group === 'Replays' && effect !== 'deletes')
  for (const { example, effect } of examples) {
    if (effect === 'changes') continue
    const words = example
      .replace(/rpl_\w+/, id)
      .replace(/\bdemo$/, project.name)
      .split(' ')
    expect({ example, ...(await run(words)) }).toMatchObject({ code: 0 })
  }
})

test('nothing is deleted without its confirmation', async () => {
  const { id } = await newFinishedReplay(service, project)
  const all = ['replays', 'delete', '--all', '--project', project.name]
  for (const args of [['replays', 'delete', id], all, [...all, '--confirm'], [...all, '--confirm', 'yes']]) {
    expect((await run(args)).code).toBe(1)
  }
  expect((await run([...all, '--dry-run'])).stdout).toContain('DELETE /replays')
  expect((await service.replays.replays.byId(id))?.id).toBe(id)
  const one = await run(['replays', 'delete', id, '--confirm', '--json'])
  expect(JSON.parse(one.stdout)).toEqual({ ok: true, deleted: id })
  await newFinishedReplay(service, project)
  const deleted = await run([...all, '--confirm', 'delete_replay_data', '--json'])
  expect(JSON.parse(deleted.stdout)).toMatchObject({ ok: true, project: project.name })
  expect(await service.replays.replays.byId(id)).toBe(null)
})
