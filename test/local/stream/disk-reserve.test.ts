import { afterAll, expect, test } from 'vitest'
import { createFolderLake } from '#local/lake/folder'
import {
  createDiskReserve,
  FLOOR_BYTES,
  lakeWithDiskReserve,
  neededBytes,
  REPLAY_ROOM_BYTES,
} from '#local/stream/disk-reserve'
import { cleanUp, newFolder } from '#test/support/service-process'

afterAll(cleanUp)

const MB = 1024 * 1024

const ofEvents = (line: string) => line.startsWith('DISK')

function createWorld(free: number) {
  const lines: string[] = []
  const world = { free, size: 20_000 * MB, waiting: 0, hot: 0, lines }
  const reserve = createDiskReserve({
    measureDisk: async () => ({ free: world.free, size: world.size }),
    waitingBytes: async () => world.waiting,
    hotBytes: async () => world.hot,
    log: code => lines.push(code),
  })
  return { ...world, world, reserve }
}

test('appends are refused from the first measurement that finds only the reserve, with one line for each episode', async () => {
  const { world, reserve, lines } = createWorld(FLOOR_BYTES + 20 * MB)
  await reserve.measure()
  reserve.take([Buffer.alloc(100)])
  world.waiting = 5 * MB
  for (let i = 0; i < 3; i++) await reserve.measure()
  expect(() => reserve.take([Buffer.alloc(100)])).toThrow(
    expect.objectContaining({ code: 'UNAVAILABLE', extras: { retryAfter: 30, cause: undefined } }),
  )
  expect(lines.filter(ofEvents)).toEqual(['DISK_RESERVE_REACHED'])
  world.waiting = 0
  for (let i = 0; i < 3; i++) await reserve.measure()
  reserve.take([Buffer.alloc(100)])
  expect(lines.filter(ofEvents)).toEqual(['DISK_RESERVE_REACHED', 'DISK_RESERVE_FREE'])
})

test('an append that does not fit between two measurements starts an episode, with its line', async () => {
  const { world, reserve, lines } = createWorld(FLOOR_BYTES + 4 * MB)
  await reserve.measure()
  expect(() => reserve.take([Buffer.alloc(MB)])).toThrow('too little room')
  expect(() => reserve.take([Buffer.alloc(1)])).toThrow('too little room')
  expect(lines.filter(ofEvents)).toEqual(['DISK_RESERVE_REACHED'])
  world.free = FLOOR_BYTES + 11 * MB
  await reserve.measure()
  reserve.take([Buffer.alloc(MB)])
  expect(lines.filter(ofEvents)).toEqual(['DISK_RESERVE_REACHED', 'DISK_RESERVE_FREE'])
})

test('between two measurements only as much is accepted as the disk had room for', async () => {
  const { reserve } = createWorld(FLOOR_BYTES + 20 * MB)
  await reserve.measure()
  let accepted = 0
  expect(() => {
    for (;;) {
      reserve.take([Buffer.alloc(MB / 2)])
      accepted += MB / 2
    }
  }).toThrow('too little room')
  expect(accepted * 2 + neededBytes(accepted, 0)).toBeLessThanOrEqual(FLOOR_BYTES + 20 * MB)
  expect(accepted).toBeGreaterThan(MB)
})

test.each([4 * MB, 2 * MB, 1])(
  'a refused chunk of %i bytes does not make events of 1 KB be refused',
  async bytes => {
    const { reserve, lines } = createWorld(FLOOR_BYTES + 3 * MB)
    await reserve.measure()
    const lake = lakeWithDiskReserve(createFolderLake(newFolder()), reserve)
    await expect(lake.put('replays/a', Buffer.alloc(bytes))).rejects.toMatchObject({
      ...{ code: 'UNAVAILABLE', extras: { retryAfter: 30 } },
      message: expect.stringContaining('replays'),
    })
    expect(() => reserve.take([Buffer.alloc(1_000)])).not.toThrow()
    expect(lines).toEqual(['REPLAY_RESERVE_REACHED'])
  },
)

test('replays stop while there is much room for events, and what is stored can be read and deleted', async () => {
  const { world, reserve, lines } = createWorld(FLOOR_BYTES + REPLAY_ROOM_BYTES + MB)
  await reserve.measure()
  const lake = lakeWithDiskReserve(createFolderLake(newFolder()), reserve)
  await lake.put('replays/a', Buffer.alloc(MB / 2))
  await expect(lake.put('replays/b', Buffer.alloc(MB / 2 + 1))).rejects.toThrow('for more replays')
  for (let i = 0; i < 100; i++) reserve.take([Buffer.alloc(MB / 8)])
  expect(lines).toEqual(['REPLAY_RESERVE_REACHED'])
  expect(await lake.get('replays/a')).toHaveLength(MB / 2)
  await lake.delete(['replays/a'])
  world.free = FLOOR_BYTES + REPLAY_ROOM_BYTES + 12 * MB
  await reserve.measure()
  await lake.put('replays/b', Buffer.alloc(MB))
  expect((await lake.list('replays/')).map(({ key }) => key)).toEqual(['replays/b'])
  expect(lines).toEqual(['REPLAY_RESERVE_REACHED', 'REPLAY_RESERVE_FREE'])
})

test('events may use the room that replays leave, and then replays stop too', async () => {
  const { world, reserve, lines } = createWorld(FLOOR_BYTES + REPLAY_ROOM_BYTES + 20 * MB)
  await reserve.measure()
  for (let i = 0; i < 30; i++) reserve.take([Buffer.alloc(MB)])
  expect(() => reserve.takeObject(1)).toThrow('for more replays')
  world.free = FLOOR_BYTES - 1
  await reserve.measure()
  expect(() => reserve.take([Buffer.alloc(1)])).toThrow('for more events')
  expect(lines).toEqual(['REPLAY_RESERVE_REACHED', 'DISK_RESERVE_REACHED'])
})

test('the need grows with waiting records without a limit, and with hot files up to one compaction', () => {
  expect(neededBytes(100 * MB, 0)).toBeGreaterThan(200 * MB)
  expect(neededBytes(0, 10_000 * MB)).toBe(neededBytes(0, 1_000 * MB))
})

test('a little room above the reserve does not end an episode', async () => {
  const { world, reserve, lines } = createWorld(FLOOR_BYTES - 1)
  await reserve.measure()
  world.free = FLOOR_BYTES + MB
  await reserve.measure()
  expect(() => reserve.take([Buffer.alloc(1)])).toThrow('too little room')
  expect(lines.filter(ofEvents)).toEqual(['DISK_RESERVE_REACHED'])
})

test('a disk that cannot be measured does not stop appends', async () => {
  const reserve = createDiskReserve({
    measureDisk: () => Promise.reject(new Error('The call is not supported.')),
    waitingBytes: async () => 0,
    hotBytes: async () => 0,
    log: () => {},
  })
  await reserve.measure()
  expect(() => reserve.take([Buffer.alloc(MB)])).not.toThrow()
})
