import { fileOf, importsOf, roomOf, type SourceFile, withoutComments } from '#scripts/imports'

/**
 * Draws the rooms of core as floors, the highest first. A room is one floor above the highest one that it
 * imports, so rooms of one floor do not import each other. Each shows the rooms that it stands on, without
 * those that one of them stands on. Throws an Error for rooms that import each other in a circle.
 */
export function drawFloors(files: readonly SourceFile[]): string {
  const imports = importsOfRooms(files)
  const below = new Map([...imports.keys()].map(room => [room, roomsBelow(room, imports)]))
  const rooms = [...below].map(([room, all]) => ({
    room,
    floor: floorOf(room, imports),
    on: directOf(all, below),
  }))
  const width = Math.max(...rooms.map(({ room }) => room.length))
  const floors = Map.groupBy(
    rooms.toSorted((a, b) => b.floor - a.floor || (a.room < b.room ? -1 : 1)),
    ({ floor }) => floor,
  )
  return [...floors]
    .flatMap(([floor, of]) =>
      of.map(({ room, on }, i) => {
        const number = (i === 0 ? String(floor) : '').padStart(2)
        return `${number}  ${room.padEnd(width)}  ${on.length === 0 ? '' : `on ${on.join(', ')}`}`.trimEnd()
      }),
    )
    .join('\n')
}

type RoomsByRoom = ReadonlyMap<string, ReadonlySet<string>>

function importsOfRooms(files: readonly SourceFile[]): RoomsByRoom {
  const pairs = files.flatMap(({ path, text }) => {
    const own = roomOf(path)
    const imported = importsOf(withoutComments(text)).map(({ name }) => roomOf(fileOf(path, name) ?? ''))
    return own === null ? [] : [own, ...imported].map(room => ({ own, room }))
  })
  return new Map(
    [...Map.groupBy(pairs, ({ own }) => own)].map(([own, of]) => [
      own,
      new Set(of.flatMap(({ room }) => (room === null || room === own ? [] : [room]))),
    ]),
  )
}

function floorOf(room: string, imports: RoomsByRoom): number {
  return Math.max(0, ...[...(imports.get(room) ?? [])].map(other => floorOf(other, imports) + 1))
}

/** All rooms that a room imports, directly or not. */
function roomsBelow(room: string, imports: RoomsByRoom, above: readonly string[] = []): Set<string> {
  if (above.includes(room)) throw new Error(`Rooms import each other: ${[...above, room].join(' -> ')}`)
  const direct = [...(imports.get(room) ?? [])]
  return new Set(direct.flatMap(other => [other, ...roomsBelow(other, imports, [...above, room])]))
}

/** Those of the rooms below that none of the others stands on. */
function directOf(all: ReadonlySet<string>, below: RoomsByRoom): string[] {
  return [...all].filter(room => ![...all].some(other => below.get(other)?.has(room))).toSorted()
}
