import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarks } from '#core/promote/mark'
import { readEmailKey } from '#local/email-key'
import { lockFolder } from '#local/lock'
import { promotionDir, promotionNotePath } from '#local/promotion-note'
import { type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import { EMULATOR_ACCESS, type EmulatedStorage, startStorage } from '#test/support/emulators'
import { cleanUp, newFolder } from '#test/support/service-process'
import { startStackServer } from './stack-server.ts'

/** `npm run promote` itself, against emulators of what it calls. */

const program = resolve(import.meta.dirname, '../../../bin/promote.ts')
let state: DynaliteState
let storage: EmulatedStorage
let stack: Awaited<ReturnType<typeof startStackServer>>
let dataDir: string
beforeAll(async () => {
  ;[state, storage] = await Promise.all([openDynaliteState(), startStorage()])
  stack = await startStackServer({ bucket: storage.createBucket(), table: state.table })
  dataDir = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../../fixtures/editions/1/data'), dataDir, { recursive: true })
})
afterAll(async () => {
  await Promise.all([stack.stop(), state.close(), storage.stop()])
  await cleanUp()
})

async function run(...args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env: {
      ...process.env,
      AWS_REGION: EMULATOR_ACCESS.region,
      AWS_ACCESS_KEY_ID: EMULATOR_ACCESS.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: EMULATOR_ACCESS.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: state.endpoint,
      AWS_ENDPOINT_URL_S3: storage.endpoint,
      AWS_ENDPOINT_URL_CLOUDFORMATION: stack.endpoint,
      AWS_ENDPOINT_URL_LAMBDA: stack.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: stack.endpoint,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>(done => child.once('exit', done))
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await exited, out, err }
}

test('the command says what to do beside a running service, finishes after its end, and then changes nothing', async () => {
  // An earlier run has stopped the stack, and waited until it was idle: five minutes.
  const target = { client: state.client, table: state.table }
  mkdirSync(promotionDir(dataDir))
  const note = { id: 'source-1', target: `table ${state.table}, bucket lake-0`, is_retired: false }
  writeFileSync(promotionNotePath(dataDir), JSON.stringify(note))
  await createMarks(target).begin('source-1')
  await createMarks(target).note({ source: 'source-1', step: 'begun', areStopped: true })

  const service = lockFolder(dataDir)
  const ahead = await run('--data', dataDir)
  expect([ahead.code, ahead.err]).toEqual([0, ''])
  expect(ahead.out).toMatch(/Objects: [1-9]\d* of \d+ were copied/)
  expect(ahead.out).toContain('stop the service here, and run the same command again')
  expect(stack.calls).toEqual(['key'])
  service.release()

  const last = await run('--data', dataDir)
  expect(last.code, last.err).toBe(0)
  expect(last.out).toContain('Table and lake agree, and the stack runs.')
  expect(stack.emailKey()).toBe(readEmailKey(dataDir))
  const calls = [...stack.calls]
  expect(calls.slice(1, 5)).toEqual(['invoke restore', 'DELETE scheduler', 'PUT to-lake', 'PUT to-jobs'])
  expect(calls.slice(5).toSorted()).toEqual(
    ['auth', 'control', 'mcp', 'owner', 'pages', 'replay', 'reports', 'stream'].map(name => `DELETE ${name}`),
  )
  const again = await run('--data', dataDir)
  expect([again.code, again.out]).toEqual([0, 'This folder is promoted already. Nothing was changed.\n'])
  expect(stack.calls).toEqual(calls)
})

test('what the operator can mend is one line', async () => {
  const empty = newFolder()
  expect(await run('--data', empty)).toEqual({
    code: 1,
    out: '',
    err: `${empty} is no data folder of Footfall: it has no state.db. Name the folder of DATA_DIR with --data.\n`,
  })
  const { code, err } = await run('--dta', empty)
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^Unknown option '--dta'.*\nUse: npm run promote -- /),
  ])
})
