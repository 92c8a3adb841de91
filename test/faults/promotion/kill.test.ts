import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createS3Lake } from '#aws/lake'
import { readEmailKey } from '#local/email-key'
import { assertNotPromoted } from '#local/promotion-note'
import { createStateTable, type DynaliteState, openDynaliteState } from '#test/support/dynalite-state'
import { type EmulatedStorage, startStorage } from '#test/support/emulators'
import { cleanUp, newFolder } from '#test/support/service-process'
import { contentOf, contentOfFolder } from './contents.ts'
import { runProgram } from './run-program.ts'

/** SIGKILL at ten places of a promotion, from its first action to its last, and the same command again. */

const PLACES = 10

let state: DynaliteState
let storage: EmulatedStorage
let folder: string
beforeAll(async () => {
  ;[state, storage] = await Promise.all([openDynaliteState(), startStorage()])
  folder = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../../fixtures/editions/1/data'), folder, { recursive: true })
})
afterAll(async () => {
  await Promise.all([state.close(), storage.stop()])
  await cleanUp()
})

let tables = 0

/** A copy of the folder, and an empty stack. */
async function openWorld() {
  const dataDir = join(newFolder(), 'data')
  cpSync(folder, dataDir, { recursive: true })
  const stack = join(newFolder(), 'stack.json')
  writeFileSync(stack, JSON.stringify({ emailKey: 'of the stack', calls: [] }))
  const table = `promoted-${tables++}`
  await createStateTable(state.client, table)
  const bucket = storage.createBucket()
  const target = { client: state.client, table }
  const lake = createS3Lake({ client: storage.s3, bucket })
  // What a fresh stack has written by itself.
  await state.client.put({ TableName: table, Item: { pk: '$footfall', sk: '$lake_1', epoch: 3, fence: 9 } })
  const actions = join(newFolder(), 'actions')
  return {
    dataDir,
    actions: () => Number(readFileSync(actions, 'utf8')),
    stack: () => JSON.parse(readFileSync(stack, 'utf8')) as { emailKey: string; calls: string[] },
    /** Runs the program. `code` null: it was killed. */
    run(killAt?: number) {
      return runProgram('target-program.ts', {
        ...{ DATA: dataDir, TABLE: table, BUCKET: bucket, STACK: stack, ACTIONS: actions },
        KILL_AT: String(killAt ?? ''),
        AWS_ENDPOINT_URL_DYNAMODB: state.endpoint,
        AWS_ENDPOINT_URL_S3: storage.endpoint,
      })
    },
    /** All items and objects of the stack, each as a text, without the mark of the promotion. */
    content: () => contentOf(target, lake),
  }
}

test('a promotion that is killed anywhere continues, and a run after the last one changes nothing', async () => {
  const whole = await openWorld()
  expect(await whole.run()).toEqual({ code: 0, ending: 'done' })
  const [content, calls, actions] = [await whole.content(), whole.stack().calls, whole.actions()]
  expect(content).toEqual(await contentOfFolder(whole.dataDir))
  expect(content.filter(each => each.startsWith('segments/')).length).toBeGreaterThan(2)
  expect(calls).toEqual(['key', 'stop', 'reconcile', 'start'])
  expect(await whole.run()).toEqual({ code: 0, ending: 'unchanged' })
  expect([await whole.content(), whole.stack().calls]).toEqual([content, calls])

  expect(actions).toBeGreaterThan(4 * PLACES)
  for (let i = 0; i < PLACES; i++) {
    const place = 1 + Math.round((i * (actions - 1)) / (PLACES - 1))
    const world = await openWorld()
    expect((await world.run(place)).code, `killed at ${place}`).toBe(null)
    // Both sides must never take events of the same sites.
    if (world.stack().calls.includes('start'))
      expect(() => assertNotPromoted(world.dataDir)).toThrow(/was promoted/)
    expect(await world.run(), `again after ${place}`).toEqual({ code: 0, ending: 'done' })
    expect(await world.content(), `again after ${place}`).toEqual(await contentOfFolder(world.dataDir))
    expect(world.stack().emailKey).toBe(readEmailKey(world.dataDir))
  }
})
