import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { conditionHeld } from '#core/state-table'
import { FolderError } from '#local/lock'
import { connectState, type OpenState, openState } from '#local/state/state'

let folder: string
const WRITER = join(import.meta.dirname, 'state-writer.ts')
const opened: { close(): Promise<void> }[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-state-'))
})
afterEach(async () => {
  for (const state of opened.splice(0)) await state.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(): Promise<OpenState> {
  const state = await openState(folder)
  opened.push(state)
  return state
}

async function close(state: OpenState): Promise<void> {
  opened.splice(opened.indexOf(state), 1)
  await state.close()
}

function put({ client, table }: Pick<OpenState, 'client' | 'table'>, pk: string, n = 0) {
  return client.put({ TableName: table, Item: { pk, sk: '-', n } })
}

async function get({ client, table }: Pick<OpenState, 'client' | 'table'>, pk: string) {
  return (await client.get({ TableName: table, Key: { pk, sk: '-' }, ConsistentRead: true })).Item
}

test('what was written is there after a restart', async () => {
  const state = await open()
  await put(state, 'a', 7)
  await close(state)
  const again = await open()
  expect(again.repaired).toBe(false)
  expect(await get(again, 'a')).toEqual({ pk: 'a', sk: '-', n: 7 })
})

test('another thread reads and writes by a connection of its own', async () => {
  const state = await open()
  const connection = connectState(state.endpoint)
  await put(connection, 'a', 1)
  expect(await get(state, 'a')).toMatchObject({ n: 1 })
  await connection.close()
  expect(await get(state, 'a')).toMatchObject({ n: 1 })
})

test('of many conditional writes at once one holds', async () => {
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

test('who does not hold the key is refused, web pages included', async () => {
  const { endpoint } = await open()
  const { port, origin } = new URL(endpoint)
  for (const method of ['GET', 'POST', 'OPTIONS']) {
    const answer = await fetch(origin, { method, headers: { origin: 'https://evil.example' } })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
  const stranger = connectState(`http://${'0'.repeat(32)}@127.0.0.1:${port}`)
  await expect(get(stranger, 'a')).rejects.toThrow()
  await stranger.close()
})

test('a request that its sender breaks off does no harm', async () => {
  const state = await open()
  const { port, username } = new URL(state.endpoint)
  for (let i = 0; i < 5; i++) {
    await new Promise<void>(resolve => {
      const broken = request({
        port,
        method: 'POST',
        headers: { authorization: `AWS4-HMAC-SHA256 Credential=${username}/x`, 'content-length': 1_000 },
      })
      broken.on('error', () => resolve())
      broken.write('{"TableName"', () => setTimeout(() => broken.destroy(new Error('gone')), 5))
    })
  }
  await put(state, 'a', 1)
  expect(await get(state, 'a')).toMatchObject({ n: 1 })
})

test('a disk that is full is UNAVAILABLE; what is acknowledged before and after it is kept', async () => {
  // No file may grow beyond the limit, which the log of the store reaches after some 70 writes.
  const command = `ulimit -f 300; exec "${process.execPath}" "${WRITER}" "${folder}" 0 2000`
  const printed = await killedAfter(spawn('sh', ['-c', command]), 400)
  const failures = printed.filter(line => line === 'failed').length
  expect(failures).toBeGreaterThan(0)
  expect(failures).toBeLessThan(printed.length / 2)
  const state = await open()
  for (const line of printed.filter(line => line !== 'failed')) {
    expect(await get(state, `k${line}`)).toMatchObject({ n: Number(line) })
  }
})

test('a folder that cannot be made, or is held by another service, is a clear error', async () => {
  writeFileSync(join(folder, 'file'), '')
  await expect(openState(join(folder, 'file', 'state'))).rejects.toThrow(FolderError)
  await open()
  await expect(openState(folder)).rejects.toThrow(/cannot be opened/)
})

test('a damaged store is put together again from what can be read', async () => {
  const state = await open()
  await put(state, 'a', 1)
  await close(state)
  // Opening again moves the log into a table file; the manifest, which lists those, is what gets damaged.
  await close(await open())
  const manifest = readdirSync(folder).find(name => name.startsWith('MANIFEST')) as string
  const file = openSync(join(folder, manifest), 'r+')
  writeSync(file, Buffer.alloc(40, 0xff), 0, 40, 0)
  closeSync(file)
  const repaired = await open()
  expect(repaired.repaired).toBe(true)
  expect(await get(repaired, 'a')).toMatchObject({ n: 1 })
})

test('every acknowledged write outlives kill -9, again and again', async () => {
  let acknowledged = 0
  for (let round = 0; round < 5; round++) {
    const writer = spawn(process.execPath, [WRITER, folder, String(acknowledged)])
    acknowledged = Number((await killedAfter(writer, 40 + 17 * round)).at(-1))
  }
  const state = await open()
  for (let n = 1; n <= acknowledged; n++) expect(await get(state, `k${n}`)).toMatchObject({ n })
})

/** Kills the writer when it has printed so many lines; resolves with all that it has printed. */
function killedAfter(writer: ChildProcess, lines: number): Promise<string[]> {
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
