import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3Lake } from '#aws/lake'
import { createKinesisStream } from '#aws/stream'
import { createStores } from '#core/stores'
import { readCredentials } from '#local/credentials-file'
import { readEmailKey } from '#local/email-key'
import { assertArrived } from '#local/promotion-note'
import { systemClock } from '#providers/system-clock'
import { type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import {
  type EmulatedKinesis,
  type EmulatedStorage,
  PATIENT_STREAM,
  startKinesis,
  startStorage,
} from '#test/support/emulators'
import { liveRecord, toEntry } from '#test/support/live-records'
import { cleanUp, newFolder, runFailingService } from '#test/support/service-process'
import { contentOf, contentOfFolder } from './contents.ts'
import { runProgram } from './run-program.ts'

/** SIGKILL at ten places of the way back, from its first action to its last, and the same command again. */

const PLACES = 10
/** Events that wait in the stream when the stack is stopped. */
const WAITING = 3

let state: DynaliteState
let storage: EmulatedStorage
let kinesis: EmulatedKinesis
let stream: ReturnType<typeof createKinesisStream>
let machine: string
/** What the programs are told of the stack. */
let env: Record<string, string>
beforeAll(async () => {
  ;[state, storage, kinesis] = await Promise.all([openDynaliteState(), startStorage(), startKinesis()])
  machine = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../../fixtures/editions/1/data'), machine, { recursive: true })
  const streamArn = await kinesis.createStream(2)
  stream = createKinesisStream({ client: kinesis.client, streamArn, log: () => {}, ...PATIENT_STREAM })
  env = {
    ...{ TABLE: state.table, BUCKET: storage.createBucket(), STREAM_ARN: streamArn },
    AWS_ENDPOINT_URL_DYNAMODB: state.endpoint,
    AWS_ENDPOINT_URL_S3: storage.endpoint,
    AWS_ENDPOINT_URL_KINESIS: kinesis.endpoint,
  }
  // The stack has what a machine had.
  const files = stackFiles()
  expect((await runProgram('target-program.ts', { ...env, ...files.env, DATA: machine })).ending).toBe('done')
  for (let i = 1; i <= WAITING; i++) await track(i)
})
afterAll(async () => {
  await Promise.all([state.close(), storage.stop(), kinesis.stop()])
  await cleanUp()
})

function stackFiles() {
  const folder = newFolder()
  const [stack, actions] = [join(folder, 'stack.json'), join(folder, 'actions')]
  writeFileSync(stack, JSON.stringify({ emailKey: readEmailKey(machine), calls: [] }))
  return {
    env: { STACK: stack, ACTIONS: actions },
    actions: () => Number(readFileSync(actions, 'utf8')),
    calls: () => (JSON.parse(readFileSync(stack, 'utf8')) as { calls: string[] }).calls,
  }
}

/** The stack acknowledges an event. */
async function track(number: number): Promise<void> {
  const { account_id, project } = readCredentials(machine) ?? expect.unreachable()
  const found = await createStores(state, systemClock).projects.resolve(account_id, project)
  const record = liveRecord(number, Date.now(), [{ event: 'waiting', event_id: `waiting-${number}` }])
  await stream.append([toEntry(record, found?.id ?? expect.unreachable()).data])
}

/** A new folder, and a stack that runs. */
function openWorld() {
  const dataDir = join(newFolder(), 'data')
  const files = stackFiles()
  const run = (IS_LAST: boolean, killAt?: number) =>
    runProgram('back-program.ts', {
      ...env,
      ...files.env,
      ...{ DATA: dataDir, IS_LAST: String(IS_LAST), KILL_AT: String(killAt ?? '') },
    })
  return { dataDir, ...files, run }
}

const contentOfStack = () => contentOf(state, createS3Lake({ client: storage.s3, bucket: env.BUCKET ?? '' }))

test('a way back that is killed anywhere continues, and a run after the last one changes nothing', async () => {
  const before = await contentOfStack()
  const whole = openWorld()
  expect(await whole.run(false)).toEqual({ code: 0, ending: 'ahead' })
  expect(await contentOfFolder(whole.dataDir)).toEqual(before)
  expect(await runFailingService({ dataDir: whole.dataDir })).toMatchObject({
    code: 1,
    output: expect.stringContaining('is on its way into'),
  })
  expect(whole.calls()).toEqual([])
  expect(await whole.run(true)).toEqual({ code: 0, ending: 'done' })
  expect(whole.calls()).toEqual(['stop'])
  expect(readEmailKey(whole.dataDir)).toBe(readEmailKey(machine))
  const content = await contentOfFolder(whole.dataDir)
  const hot = (texts: string[]) => texts.filter(each => each.startsWith('hot/')).length
  expect(hot(content)).toBeGreaterThan(hot(before))
  expect(await whole.run(true)).toEqual({ code: 0, ending: 'unchanged' })
  expect(await contentOfFolder(whole.dataDir)).toEqual(content)

  const straight = openWorld()
  expect(await straight.run(true)).toEqual({ code: 0, ending: 'done' })
  const actions = straight.actions()
  expect(actions).toBeGreaterThan(4 * PLACES)
  for (let i = 0; i < PLACES; i++) {
    const place = 1 + Math.round((i * (actions - 1)) / (PLACES - 1))
    const world = openWorld()
    expect((await world.run(true, place)).code, `killed at ${place}`).toBe(null)
    const again = await world.run(true)
    expect(again.code, `again after ${place}`).toBe(0)
    // A kill after the folder was noted as whole leaves nothing to do.
    expect(again.ending, `again after ${place}`).toMatch(/^(done|unchanged)$/)
    expect(() => assertArrived(world.dataDir)).not.toThrow()
    expect(await contentOfFolder(world.dataDir), `again after ${place}`).toEqual(content)
  }
  expect(await contentOfStack()).toEqual(before)
})
