import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createDemo } from '#core/access/demo'
import { packRecord } from '#core/ingest/record'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { hotColumnsOf } from '#core/lake/consume/hot-columns'
import { hotKey } from '#core/lake/model/keys'
import type { StreamEntry } from '#core/ports'
import { issueOwnerAccess } from '#core/projects/owner'
import { createMarks } from '#core/promote/mark'
import { createLakeStores, createStores } from '#core/stores'
import { readCredentials } from '#local/credentials-file'
import { lakeDir } from '#local/data-folder'
import { emailKeyPath } from '#local/email-key'
import { createFolderLake } from '#local/lake/folder'
import { lockFolder } from '#local/lock'
import { ensureOwner } from '#local/owner'
import { assertBegun, openArrival } from '#local/promote/arrival'
import { openSource } from '#local/promote/source'
import { cancelMove, openTarget } from '#local/promote/target'
import { arrivalNotePath, assertArrived, promotionDir } from '#local/promotion-note'
import { openStorage } from '#local/storage'
import { systemClock } from '#providers/system-clock'
import { recordedEvent } from '#test/support/live-records'
import { cleanUp, newFolder, startService } from '#test/support/service-process'

/** A new folder as the target of a stack's data. */

afterAll(cleanUp)

const QUIET = { clock: systemClock, log: () => {} }
const SOURCE = 'table a, bucket b'
const SHARD = 'shardId-000000000000'

const newDataDir = () => join(newFolder(), 'data')

/** A stream with one shard, and the folder that takes its records. */
function openWorld(dataDir = newDataDir()) {
  const entries: StreamEntry[] = []
  const stream = {
    shards: async () => [SHARD],
    read: async (shard: string, after: string | null, limit: number) =>
      shard === SHARD
        ? entries.filter(({ sequence }) => BigInt(sequence) > BigInt(after ?? 0)).slice(0, limit)
        : [],
  }
  const append = (event: string, { id, ...project } = { id: 'proj_1', account_id: 'acc_1', bucket: 1 }) =>
    entries.push({
      sequence: String(entries.length + 1),
      data: packRecord({
        ...{ kind: 'events', project_id: id, account_id: project.account_id, bucket: project.bucket },
        ...{ first: 0, received_at: Date.now(), seq: entries.length, country: null },
        events: [recordedEvent({ event, timestamp: Date.now() })],
      }),
    })
  /** Opens the folder, does something with it, and closes it. */
  async function using<T>(act: (target: Awaited<ReturnType<typeof openTarget>>) => Promise<T>): Promise<T> {
    const arrival = openArrival(dataDir, SOURCE)
    try {
      const target = await openTarget({
        ...{ dataDir, arrival, stream, compactionMemoryMb: 256, ...QUIET },
      })
      try {
        return await act(target)
      } finally {
        await target.close()
      }
    } finally {
      arrival.close()
    }
  }
  const hotFiles = async () => (await createFolderLake(lakeDir(dataDir)).list('hot/')).length
  return { dataDir, append, using, hotFiles }
}

type World = ReturnType<typeof openWorld>

/** Does what a promotion does after its copy. */
function finish({ using }: World): Promise<Record<string, number>> {
  return using(async ({ state, service }) => {
    const marks = createMarks(state)
    if ((await marks.read()) === null) await marks.begin(SOURCE)
    await marks.note({ source: SOURCE, step: 'copied', areStopped: true })
    const lost = await service.reconcile()
    await service.startWriters()
    await marks.note({ source: SOURCE, step: 'done', areStopped: true })
    return lost
  })
}

const stepOf = (world: World) => world.using(async ({ state }) => (await createMarks(state).read())?.step)

test('no service starts on the folder before it is whole', async () => {
  const world = openWorld()
  await world.using(async () => {
    expect(() => assertArrived(world.dataDir)).toThrow('is on its way into')
    expect(() => lockFolder(world.dataDir)).toThrow('Another Footfall service uses')
  })
  expect(() => assertArrived(world.dataDir)).toThrow('is on its way into')
  // Nor does it go to another stack.
  const settings = { ...{ dataDir: world.dataDir, target: 'table c', compactionMemoryMb: 256 }, ...QUIET }
  expect(() => openSource(settings)).toThrow('is on its way into')
  await finish(world)
  assertArrived(world.dataDir)
  openSource(settings).close()
})

test('a folder with anything in it is refused, and stays as it is', () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'notes.txt'), 'mine')
  expect(() => openArrival(dataDir, SOURCE)).toThrow(`The folder ${dataDir} is not empty (notes.txt)`)
  expect(existsSync(promotionDir(dataDir))).toBe(false)
})

test('what a command leaves that was killed at its begin is no data', () => {
  const dataDir = newFolder()
  lockFolder(dataDir).release()
  mkdirSync(promotionDir(dataDir))
  openArrival(dataDir, SOURCE).close()
})

test('the folder of another stack is refused, and so are two commands at once', () => {
  const dataDir = newDataDir()
  const arrival = openArrival(dataDir, SOURCE)
  expect(() => openArrival(dataDir, SOURCE)).toThrow('Another process promotes')
  arrival.close()
  expect(() => openArrival(dataDir, 'table c')).toThrow('is that of another stack (table a, bucket b)')
  writeFileSync(arrivalNotePath(dataDir), '{')
  expect(() => openArrival(dataDir, SOURCE)).toThrow(
    'is damaged. Move the data of the stack into a new folder',
  )
})

test('records of the stream come into the lake once, also after the folder was whole', async () => {
  const world = openWorld()
  world.append('first')
  expect(await finish(world)).toEqual({})
  expect(await world.hotFiles()).toBe(1)
  expect(await finish(world)).toEqual({})
  expect([await world.hotFiles(), await stepOf(world)]).toEqual([1, 'done'])
  world.append('later')
  // A service that runs must stop for them, and starts again when they are there.
  const service = lockFolder(world.dataDir)
  await expect(finish(world)).rejects.toThrow('a service runs on')
  assertArrived(world.dataDir)
  service.release()
  expect(await stepOf(world)).toBe('copied')
  expect(() => assertArrived(world.dataDir)).toThrow('is on its way into')
  await finish(world)
  expect(await world.hotFiles()).toBe(2)
  // So a start does not fill the demo as in a folder that is new.
  const storage = await openStorage({ dataDir: world.dataDir, compactionMemoryMb: 256, ...QUIET })
  expect(await storage.isNew()).toBe(false)
  await storage.close()
})

test('claims that the consumers of the stack have left open are ended, and their records are there once', async () => {
  const world = openWorld()
  world.append('claimed')
  world.append('waiting')
  const gone = 'shardId-000000000009'
  const openClaims = () =>
    world.using(async ({ state, lake }) => {
      const { lakeState } = createLakeStores({ ...state, lake }, systemClock)
      return (await lakeState.shards()).map(({ shard, highWater, claim }) => [shard, highWater, claim])
    })
  await world.using(async ({ state, lake }) => {
    const { lakeState } = createLakeStores({ ...state, lake }, systemClock)
    const { epoch } = await lakeState.lake()
    for (const shard of [SHARD, gone]) {
      await lakeState.addShard(shard)
      await lakeState.joinEpoch(shard, epoch)
      await lakeState.claim(shard, { first: '1', last: '1', epoch }, null, systemClock.now())
    }
    // The consumer of the shard that is gone had written its file.
    await lake.put(hotKey(gone, { first: '1', last: '1', epoch }), encodeHot(hotColumnsOf([])))
  })
  expect(await finish(world)).toEqual({})
  expect(await openClaims()).toEqual([
    [SHARD, '2', null],
    [gone, '1', null],
  ])
  expect(await world.hotFiles()).toBe(3)
})

test('beside a service that runs, a whole folder is only looked at', async () => {
  const world = openWorld()
  await finish(world)
  const service = lockFolder(world.dataDir)
  expect(await stepOf(world)).toBe('done')
  service.release()
})

test('the note of the folder decides when a kill came between it and the mark', async () => {
  const world = openWorld()
  await finish(world)
  await world.using(({ state }) =>
    createMarks(state).note({ source: SOURCE, step: 'copied', areStopped: true }),
  )
  expect(await stepOf(world)).toBe('done')
  writeFileSync(
    arrivalNotePath(world.dataDir),
    JSON.stringify({ source: SOURCE, is_stopped: true, is_whole: false, was_whole: true }),
  )
  expect(await stepOf(world)).toBe('copied')
})

test('a move can be cancelled until the folder is whole, and can be made again', async () => {
  const world = openWorld()
  expect(() => assertBegun(world.dataDir)).toThrow('No stack is moved into')
  await world.using(async ({ state }) => {
    await createMarks(state).begin(SOURCE)
    await createMarks(state).note({ source: SOURCE, step: 'copied', areStopped: true })
  })
  const calls: string[] = []
  const cancel = async () => {
    const arrival = openArrival(world.dataDir, SOURCE)
    arrival.change({ is_stopped: true })
    try {
      await cancelMove(world.dataDir, arrival, async () => void calls.push('start'))
      return arrival.note().is_stopped
    } finally {
      arrival.close()
    }
  }
  expect(await cancel()).toBe(false)
  expect([calls, await stepOf(world)]).toEqual([['start'], 'begun'])
  await finish(world)
  await expect(cancel()).rejects.toThrow('The stack is not started again')
  // A run that takes the rest, and is killed, is no reason to copy over what a service has taken since.
  world.append('rest')
  await world.using(async () => {})
  expect(() => assertArrived(world.dataDir)).toThrow('is on its way into')
  await expect(cancel()).rejects.toThrow('The stack is not started again')
  expect(calls).toEqual(['start'])
})

test('the key of the e-mail index is written as the stack has it, and another form is refused', async () => {
  const { dataDir, using } = openWorld()
  await using(async ({ service }) => {
    expect(await service.readEmailKey()).toBe('')
    await expect(service.writeEmailKey('short')).rejects.toThrow('64 letters and digits')
    expect(existsSync(emailKeyPath(dataDir))).toBe(false)
    const key = 'aZ09'.repeat(16)
    await service.writeEmailKey(key)
    expect(await service.readEmailKey()).toBe(key)
  })
})

test('the owner of the stack is the owner of the folder, whose key the first start leaves alone', async () => {
  const world = openWorld()
  const { account_id, api_key } = await world.using(({ state }) =>
    issueOwnerAccess(
      { ...state, ...createStores(state, systemClock), audit: { record: async () => {} } },
      { project: 'shop' },
    ),
  )
  await finish(world)
  const stored = readCredentials(world.dataDir)
  // A project of theirs would become the demo that everybody may read.
  expect(stored).toEqual({ base_url: '', account_id, api_key: '', project: '', project_token: '' })
  await world.using(async ({ state }) => {
    const stores = createStores(state, systemClock)
    const owner = { ...state, ...stores, audit: { record: async () => {} } }
    expect((await ensureOwner(owner, stored, 'https://stats.example.com')).project).toBe(null)
    expect((await stores.accounts.byApiKey(api_key))?.id).toBe(account_id)
    expect(await stores.accounts.byApiKey('')).toBe(null)
  })
})

test('a service starts on the folder of a stack that never was a machine, and fills no demo', async () => {
  const world = openWorld()
  const { api_key, project } = await world.using(({ state }) =>
    issueOwnerAccess(
      { ...state, ...createStores(state, systemClock), audit: { record: async () => {} } },
      { project: 'shop' },
    ),
  )
  await world.using(({ service }) => service.writeEmailKey('aZ09'.repeat(16)))
  world.append('bought', project)
  expect(await finish(world)).toEqual({})
  const service = await startService({ dataDir: world.dataDir, seed: true })
  const ask = async (address: string) => {
    const response = await fetch(service.baseUrl + address, { headers: { 'x-api-key': api_key } })
    return response.text()
  }
  expect(await ask('/events?project=shop&since=1d')).toContain('"bought"')
  expect(JSON.parse(await ask('/projects')).projects).toMatchObject([{ name: 'shop', total_events: 1 }])
  await service.stop()
})

test('the demo of the stack is the demo of the folder', async () => {
  const world = openWorld()
  const project = await world.using(async ({ state }) => {
    const stores = createStores(state, systemClock)
    const owner = { ...state, ...stores, audit: { record: async () => {} } }
    const { project } = await issueOwnerAccess(owner, { project: 'demo' })
    await createDemo({ ...state, ...stores, clock: systemClock }).setProject(project)
    return project
  })
  await finish(world)
  const { name, project_token } = project
  expect(readCredentials(world.dataDir)).toMatchObject({ project: name, project_token })
})
