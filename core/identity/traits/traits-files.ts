import { newWriter } from '#core/identity/fold/fold-bucket'
import { KEEP_RETIRED_MS } from '#core/identity/links/levels'
import { traitsKey, traitsPrefix } from '#core/lake/model/keys'
import type { Lake, Log, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { traitsPages } from './traits-items.ts'
import {
  createTraitsPointers,
  nextDeletion,
  nextWriting,
  type TraitsPointer,
  traitsKeys,
} from './traits-pointer.ts'
import { encodeTraits, type TraitsRow, toTraitsRows } from './traits-rows.ts'
import { createTraitsWork, type TraitsWork } from './traits-work.ts'

export type TraitsFilesServices = StateTable & {
  lake: Pick<Lake, 'list' | 'put' | 'delete'>
  projects: Pick<ProjectDirectory, 'byId'>
  /** Rows of a file at most. Default: PART_ROWS. */
  partRows?: number
  /** How long replaced files are kept for running reads, ms. Default: KEEP_RETIRED_MS. */
  keepRetiredMs?: number
  clock: Now
  log: Log
}

type OfProject = { id: string; bucket: number }

/** Rows of a file, and characters of their JSON, so that memory stays bounded. */
const [PART_ROWS, PART_CHARS] = [10_000, 16 * 1024 * 1024]
/** Replaced files of a project that wait for their deletion at most. */
const MAX_RETIRED = 20
const NOT_WRITTEN: TraitsPointer = { version: 0, writer: '', parts: 0, rows: 0, writtenAt: 0, retired: [] }

/**
 * Writes what is known of the users of a project into files of the lake, so that conditions can ask for it
 * (docs/api/conditions.md, U126). The state has the truth, and the files are a copy of all of it at one time:
 * nothing is added to a file, so a lost one is written again, and an erased person is in no later one. Only
 * the fold writes them.
 */
export function createTraitsFiles(services: TraitsFilesServices) {
  const { client, table, lake, projects, clock, log } = services
  const { partRows = PART_ROWS, keepRetiredMs = KEEP_RETIRED_MS } = services
  const work = createTraitsWork({ client, table })
  const pointers = createTraitsPointers({ client, table })

  /** Lets the files of a project be written anew when they are old enough. */
  async function noteChange({ id, bucket }: OfProject): Promise<void> {
    // A lost file is written without waiting, also where something changes meanwhile.
    if ((await work.read(id))?.isLost === true) return
    await plan({ id, bucket }, (await pointers.read(id)) ?? NOT_WRITTEN, true)
  }

  /**
   * Does what is due in all projects. One that fails is logged, and the others go on. After `endsAt`, Unix
   * ms, it begins with no more of them.
   */
  async function maintain(extendLease: () => Promise<void>, endsAt: number): Promise<void> {
    for (const each of await work.due(clock.now())) {
      if (clock.now() >= endsAt) return
      try {
        await maintainProject(each)
      } catch (error) {
        log('JOB_FAILED', { job: 'write-traits', bucket: each.bucket, error: String(error) })
      }
      await extendLease()
    }
  }

  async function maintainProject({ id, bucket, isChanged, isLost }: TraitsWork): Promise<void> {
    const project = { id, bucket }
    // What is known of the users of a deleted project goes with its links (removals.ts).
    if ((await projects.byId(id)) === null) return work.remove(id)
    const pointer = (await pointers.read(id)) ?? NOT_WRITTEN
    const isDue = isLost || (isChanged && nextWriting(pointer, clock.now()) <= clock.now())
    const saved = isDue ? await write(project, pointer) : await deleteRetired(project, pointer)
    await plan(project, saved, isChanged && !isDue)
  }

  /** Notes when the next step is due; nothing if there is none. */
  async function plan({ id, bucket }: OfProject, pointer: TraitsPointer, isChanged: boolean): Promise<void> {
    const due = Math.min(
      nextDeletion(pointer, keepRetiredMs),
      isChanged ? nextWriting(pointer, clock.now()) : Number.POSITIVE_INFINITY,
    )
    if (due === Number.POSITIVE_INFINITY) await work.remove(id)
    else await work.save({ id, bucket, due, isChanged, isLost: false })
  }

  /**
   * Writes the files of a project anew, if it has any: what was removed from the state is in none of them
   * then. Replaced files are deleted minutes later.
   */
  async function rewrite(project: OfProject): Promise<void> {
    const pointer = await pointers.read(project.id)
    if (pointer !== null && pointer.parts > 0) await plan(project, await write(project, pointer), false)
  }

  async function write(project: OfProject, before: TraitsPointer): Promise<TraitsPointer> {
    const writer = newWriter()
    let [parts, rows, characters] = [0, 0, 0]
    let part: TraitsRow[] = []
    async function putPart(): Promise<void> {
      if (part.length === 0) return
      await lake.put(traitsKey(project, { writer, part: parts }), encodeTraits(project.id, part))
      parts += 1
      rows += part.length
      characters = 0
      part = []
    }
    for await (const items of traitsPages({ client, table }, project.id)) {
      for (const row of items.flatMap(toTraitsRows)) {
        part.push(row)
        characters += row.traits.length
        if (part.length >= partRows || characters >= PART_CHARS) await putPart()
      }
    }
    await putPart()
    const now = clock.now()
    const replaced = before.parts === 0 ? [] : [{ writer: before.writer, parts: before.parts, at: now }]
    const retired = [...before.retired, ...replaced]
    return deleteRetired(project, { ...before, writer, parts, rows, writtenAt: now, retired })
  }

  /**
   * Saves the pointer, and deletes what running reads no longer use and what nothing names, as after a crash.
   */
  async function deleteRetired(project: OfProject, pointer: TraitsPointer): Promise<TraitsPointer> {
    const oldest = clock.now() - keepRetiredMs
    const retired = pointer.retired.filter(({ at }) => at > oldest).slice(-MAX_RETIRED)
    const saved = await pointers.save(project.id, { ...pointer, retired })
    const named = new Set([saved, ...retired].flatMap(each => traitsKeys(project, each)))
    const stored = await lake.list(traitsPrefix(project))
    const unnamed = stored.map(({ key }) => key).filter(key => !named.has(key))
    if (unnamed.length > 0) await lake.delete(unnamed)
    return saved
  }

  /** Deletes all files of a deleted project. What names them goes with the partition of the project. */
  async function drop(project: OfProject): Promise<void> {
    const stored = await lake.list(traitsPrefix(project))
    if (stored.length > 0) await lake.delete(stored.map(({ key }) => key))
    await work.remove(project.id)
  }

  return { noteChange, maintain, rewrite, drop }
}

export type TraitsFiles = ReturnType<typeof createTraitsFiles>
