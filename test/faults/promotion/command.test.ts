import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarks } from '#core/promote/mark'
import { readEmailKey } from '#local/email-key'
import { lockFolder } from '#local/lock'
import { arrivalNotePath, promotionDir, promotionNotePath, readArrivalNote } from '#local/promotion-note'
import { createStateTable, type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import {
  EMULATOR_ACCESS,
  type EmulatedKinesis,
  type EmulatedStorage,
  startKinesis,
  startStorage,
} from '#test/support/emulators'
import { cleanUp, newFolder } from '#test/support/service-process'
import { runProgram } from './run-program.ts'
import { startStackServer } from './stack-server.ts'

/** `npm run promote` itself, against emulators of what it calls. */

const program = resolve(import.meta.dirname, '../../../bin/promote.ts')
const FIXTURE = resolve(import.meta.dirname, '../../fixtures/editions/1/data')

let state: DynaliteState
let storage: EmulatedStorage
let kinesis: EmulatedKinesis
let bucket: string
let stack: Awaited<ReturnType<typeof startStackServer>>
let dataDir: string
beforeAll(async () => {
  ;[state, storage, kinesis] = await Promise.all([openDynaliteState(), startStorage(), startKinesis()])
  bucket = storage.createBucket()
  stack = await startStackServer({ bucket, table: state.table })
  dataDir = join(newFolder(), 'data')
  cpSync(FIXTURE, dataDir, { recursive: true })
})
afterAll(async () => {
  await Promise.all([stack.stop(), state.close(), storage.stop(), kinesis.stop()])
  await cleanUp()
})

function run(...args: string[]) {
  return runOn(stack.endpoint, ...args)
}

/** Runs the command. `endpoint`: the server of what only stacks have. */
async function runOn(endpoint: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env: {
      ...process.env,
      AWS_REGION: EMULATOR_ACCESS.region,
      AWS_ACCESS_KEY_ID: EMULATOR_ACCESS.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: EMULATOR_ACCESS.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: state.endpoint,
      AWS_ENDPOINT_URL_S3: storage.endpoint,
      AWS_ENDPOINT_URL_KINESIS: kinesis.endpoint,
      AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint,
      AWS_ENDPOINT_URL_LAMBDA: endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoint,
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
  const note = { id: 'source-1', target: `table ${state.table}, bucket ${bucket}`, is_retired: false }
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

/** A table and an S3 bucket with all that the fixture's machine has. */
async function promotedStack() {
  const machine = join(newFolder(), 'data')
  cpSync(FIXTURE, machine, { recursive: true })
  const [table, lake] = ['moved-back', storage.createBucket()]
  await createStateTable(state.client, table)
  const stackFile = join(newFolder(), 'stack.json')
  writeFileSync(stackFile, JSON.stringify({ emailKey: '', calls: [] }))
  const { ending } = await runProgram('target-program.ts', {
    ...{ DATA: machine, TABLE: table, BUCKET: lake, STACK: stackFile, ACTIONS: join(newFolder(), 'actions') },
    AWS_ENDPOINT_URL_DYNAMODB: state.endpoint,
    AWS_ENDPOINT_URL_S3: storage.endpoint,
  })
  expect(ending).toBe('done')
  return { table, bucket: lake, emailKey: readEmailKey(machine) }
}

test('the way back copies beside the stack, finishes with --last, and then changes nothing', async () => {
  const served = { ...(await promotedStack()), streamArn: await kinesis.createStream(1) }
  const back = await startStackServer(served)
  const folder = join(newFolder(), 'new')
  const moveBack = (...args: string[]) => runOn(back.endpoint, '--back', '--data', folder, ...args)

  const ahead = await moveBack()
  expect([ahead.code, ahead.err]).toEqual([0, ''])
  expect(ahead.out).toMatch(/Objects: [1-9]\d* of \d+ were copied/)
  expect(ahead.out).toContain('For the last copy run it with --last')
  // An earlier run has stopped the stack, and waited until it was idle: five minutes.
  const note = readArrivalNote(folder)
  writeFileSync(arrivalNotePath(folder), JSON.stringify({ ...note, is_stopped: true }))
  const last = await moveBack('--last')
  expect([last.code, last.err]).toEqual([0, ''])
  expect(last.out).toContain('State and lake agree, and a service can be started on the folder.')
  expect(readEmailKey(folder)).toBe(served.emailKey)
  const again = await moveBack('--last')
  expect([again.code, again.out]).toEqual([
    0,
    'The folder has everything that the stack has. Nothing was changed.\n',
  ])
  // Nothing was started or changed there.
  expect(back.calls).toEqual([])
  expect((await moveBack('--cancel')).err).toMatch(/had everything, so a service may have taken events on it/)
  // A move that is given up starts the stack again.
  const other = join(newFolder(), 'other')
  await runOn(back.endpoint, '--back', '--data', other)
  const cancelled = await runOn(back.endpoint, '--back', '--cancel', '--data', other)
  expect([cancelled.code, cancelled.err]).toEqual([0, ''])
  expect(back.calls.slice(0, 3)).toEqual(['DELETE scheduler', 'PUT to-lake', 'PUT to-jobs'])
  await back.stop()
})

test('what the operator can mend is said with what to do', async () => {
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
  expect((await run('--last')).err).toMatch(/^--last and --cancel are for the way back\.\nUse: /)
  expect((await run('--help')).out).toContain('--back         copies what the stack has now')
  expect(await run('--back', '--stack', 'Missing')).toEqual({
    code: 1,
    out: '',
    err: 'Stack with id Missing does not exist\nName the stack with --stack, and the region that it is in with AWS_REGION.\n',
  })
  expect((await run('--back', '--data', dataDir)).err).toMatch(
    /^The folder .* is not empty \(.*\), and the move replaces everything\. Name a new folder with --data\.\n$/,
  )
})
