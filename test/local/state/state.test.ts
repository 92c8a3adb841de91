import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { conditionHeld } from '#core/state-table'
import { FolderError } from '#local/lock'
import { connectState, type OpenState, openState } from '#local/state/state'
import { repeats } from '#test/support/depth'

let folder: string
const WRITER = join(import.meta.dirname, 'state-writer.ts')
const openStates: { close(): Promise<void> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
})
afterEach(async () => {
  for (const state of openStates.splice(0)) await state.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<OpenState> {
  const state = await openState(folder)
  openStates.push(state)
  return state
}

async function close(state: OpenState): Promise<void> {
  openStates.splice(openStates.indexOf(state), 1)
  await state.close()
}

function put({ client, table }: Pick<OpenState, 'client' | 'table'>, pk: string, n = 0) {
  return client.put({ TableName: table, Item: { pk, sk: '-', n } })
}

async function get({ client, table }: Pick<OpenState, 'client' | 'table'>, pk: string) {
  return (await client.get({ TableName: table, Key: { pk, sk: '-' }, ConsistentRead: true })).Item
}

test('items are there after a restart', async () => {
  const state = await open()
  await put(state, 'a', 7)
  await close(state)
  const reopened = await open()
  expect(reopened.isRepaired).toBe(false)
  expect(await get(reopened, 'a')).toEqual({ pk: 'a', sk: '-', n: 7 })
})

test('a scrub removes deleted items from the files, also after queries that stopped early', async () => {
  const { client, table: TableName, scrub } = await open()
  const secret = randomBytes(24).toString('base64url')
  const kept = randomBytes(24).toString('base64url')
  const filesWith = (text: string) =>
    readdirSync(folder).filter(name => readFileSync(join(folder, name)).includes(text))
  await client.put({ TableName, Item: { pk: 'p', sk: 'kept', text: kept } })
  for (const sk of ['a', 'b', 'c']) await client.put({ TableName, Item: { pk: 'p', sk, text: secret } })
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'p' } }
  expect((await client.query({ TableName, ...query, Limit: 1 })).Items).toHaveLength(1)
  expect((await client.scan({ TableName, Limit: 2 })).Items).toHaveLength(2)
  for (const sk of ['a', 'b', 'c']) await client.delete({ TableName, Key: { pk: 'p', sk } })
  expect(filesWith(secret)).not.toEqual([])
  await scrub()
  expect([filesWith(secret), filesWith(kept).length]).toEqual([[], 1])
  expect((await client.scan({ TableName })).Items).toEqual([{ pk: 'p', sk: 'kept', text: kept }])
})

test('another thread reads and writes through its own connection', async () => {
  const state = await open()
  const connection = connectState(state.endpoint)
  await put(connection, 'a', 1)
  expect(await get(state, 'a')).toMatchObject({ n: 1 })
  await connection.close()
  expect(await get(state, 'a')).toMatchObject({ n: 1 })
})

test('of many concurrent conditional writes exactly one succeeds', async () => {
  const { client, table } = await open()
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      conditionHeld(
        client.put({
          TableName: table,
          Item: { pk: 'a', sk: '-', n },
          ConditionExpression: 'attribute_not_exists(pk)',
        }),
      ),
    ),
  )
  expect(outcomes.filter(Boolean)).toHaveLength(1)
})

test('requests without the key are refused, also those of web pages', async () => {
  const { endpoint } = await open()
  const { port, origin } = new URL(endpoint)
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const response = await fetch(origin, { method, headers: { origin: 'https://evil.example' } })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  }
  const wrongKey = connectState(`http://${'0'.repeat(32)}@127.0.0.1:${port}`)
  await expect(get(wrongKey, 'a')).rejects.toThrow()
  await wrongKey.close()
})

test('after requests that break off the store still works', async () => {
  const state = await open()
  const { port, username } = new URL(state.endpoint)
  for (let i = 0; i < 5; i++) {
    await new Promise<void>(resolve => {
      const brokenRequest = request({
        port,
        method: 'POST',
        headers: { authorization: `AWS4-HMAC-SHA256 Credential=${username}/x`, 'content-length': 1_000 },
      })
      brokenRequest.on('error', () => resolve())
      brokenRequest.write('{"TableName"', () =>
        setTimeout(() => brokenRequest.destroy(new Error('broken off')), 5),
      )
    })
  }
  await put(state, 'a', 1)
  expect(await get(state, 'a')).toMatchObject({ n: 1 })
})

test('writes on a full disk reject with UNAVAILABLE, and writes acknowledged before and after them are kept', async () => {
  // `ulimit -f` limits the size of a file. The log of the store reaches the limit after about 70 writes.
  const command = `ulimit -f 300; exec "${process.execPath}" "${WRITER}" "${folder}" 0 2000`
  const lines = await runWriter(spawn('sh', ['-c', command]), 250)
  const failures = lines.filter(line => line === 'failed').length
  expect(failures).toBeGreaterThan(0)
  expect(failures).toBeLessThan(lines.length / 2)
  const state = await open()
  for (const line of lines.filter(line => line !== 'failed')) {
    expect(await get(state, `k${line}`)).toMatchObject({ n: Number(line) })
  }
})

test('a folder that cannot be created, or that another service uses, is refused with a FolderError', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(openState(join(folder, 'file', 'state'))).rejects.toThrow(FolderError)
  await open()
  await expect(openState(folder)).rejects.toThrow(FolderError)
  await expect(openState(folder)).rejects.toThrow(/cannot be opened/)
})

test('a damaged store is repaired and keeps the items that can be read', async () => {
  const state = await open()
  await put(state, 'a', 1)
  await close(state)
  // Opening again moves the log into a table file. The test damages the manifest, which lists the table files.
  await close(await open())
  const manifest = readdirSync(folder).find(name => name.startsWith('MANIFEST')) as string
  const file = openSync(join(folder, manifest), 'r+')
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, 0)
  closeSync(file)
  const repairedState = await open()
  expect(repairedState.isRepaired).toBe(true)
  expect(await get(repairedState, 'a')).toMatchObject({ n: 1 })
})

test('every acknowledged write survives kill -9, several times in a row', async () => {
  let acknowledged = 0
  for (let round = 0; round < repeats(2); round++) {
    const writer = spawn(process.execPath, [WRITER, folder, String(acknowledged)])
    acknowledged = Number((await runWriter(writer, 40 + 17 * round)).at(-1))
  }
  const state = await open()
  for (let n = 1; n <= acknowledged; n++) expect(await get(state, `k${n}`)).toMatchObject({ n })
})

/** Kills the writer once it has printed this number of lines. Resolves with all lines that it has printed. */
function runWriter(writer: ChildProcess, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let output = ''
    writer.stdout?.on('data', (text: Buffer) => {
      output += text.toString()
      if (output.split('\n').length > lines) writer.kill('SIGKILL')
    })
    writer.stderr?.on('data', (text: Buffer) => reject(new Error(text.toString())))
    writer.on('close', () => resolve(output.split('\n').slice(0, -1)))
  })
}
