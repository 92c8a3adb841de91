import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { openItemFile } from './item-file.ts'
import { type Item, toRow } from './values.ts'

/** Where the items of the table lie among the keys of dynalite. */
const ITEMS = { gte: 'item-footfall~', lt: 'item-footfall\u007f' }
/** Items of one transaction. */
const BATCH_ITEMS = 1_000

/** An attribute as dynalite stores it: a type and a value. */
type Typed = {
  S?: string
  N?: string
  B?: string
  BOOL?: boolean
  NULL?: boolean
  L?: Typed[]
  M?: Record<string, Typed>
  SS?: string[]
  NS?: string[]
}

/**
 * Moves a state that dynalite keeps in LevelDB, the folder of installs until November 2026, into the file.
 * The folder goes when the whole file is on the disk, so a start after a crash begins again. Returns whether
 * LevelDB had to be repaired.
 */
export async function moveFromLevelDb(folder: string, path: string): Promise<boolean> {
  const isMoved = existsSync(path)
  const isRepaired = !isMoved && existsSync(folder) && (await copyItems(folder, path))
  rmSync(folder, { recursive: true, force: true })
  return isRepaired
}

async function copyItems(folder: string, path: string): Promise<boolean> {
  const unfinished = `${path}.unfinished`
  for (const ending of ['', '-wal', '-shm']) rmSync(unfinished + ending, { force: true })
  const { level, isRepaired } = await openLevel(folder)
  const file = openItemFile(unfinished)
  let batch: Item[] = []
  const writeBatch = () =>
    file.write(() => {
      for (const item of batch) file.put(toRow(item))
      batch = []
    })
  for await (const stored of level.values(ITEMS)) {
    batch.push(toMap(stored))
    if (batch.length >= BATCH_ITEMS) await writeBatch()
  }
  await writeBatch()
  await file.close()
  await level.close()
  putInPlace(unfinished, path)
  return isRepaired
}

/** Opens LevelDB, and repairs it first when it is damaged. */
async function openLevel(folder: string) {
  // Loaded only here: no other start needs it.
  const { ClassicLevel } = await import('classic-level')
  const open = async () => {
    const level = new ClassicLevel<string, Record<string, Typed>>(folder, { valueEncoding: 'json' })
    await level.open()
    return level
  }
  try {
    return { level: await open(), isRepaired: false }
  } catch {
    await ClassicLevel.repair(folder)
    return { level: await open(), isRepaired: true }
  }
}

/** Gives a complete file its name, durably. */
export function putInPlace(unfinished: string, path: string): void {
  syncPath(unfinished)
  renameSync(unfinished, path)
  syncPath(dirname(path))
}

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

function toMap(map: Record<string, Typed>): Item {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, toValue(value)]))
}

function toValue({ S, N, B, BOOL, NULL, L, M, SS, NS }: Typed): unknown {
  if (N !== undefined) return Number(N)
  if (B !== undefined) return Buffer.from(B, 'base64')
  if (L !== undefined) return L.map(toValue)
  if (M !== undefined) return toMap(M)
  const set = SS ?? NS?.map(Number)
  return set === undefined ? (S ?? BOOL ?? (NULL ? null : undefined)) : new Set<unknown>(set)
}
