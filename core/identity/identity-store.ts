import QuickLRU from 'quick-lru'
import { linksPrefix, traitsPrefix } from '#core/lake/model/keys'
import type { OpenLinks } from '#core/lake/model/open-links'
import type { OpenTraits } from '#core/lake/model/open-traits'
import type { Lake, Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import { createErasedUsers } from './erased-users.ts'
import { createErasureFeed } from './erasure-feed.ts'
import { createIdentityWork } from './fold/identity-work.ts'
import { createRefusedCounts } from './fold/refused-counts.ts'
import { type KnownPeople, openKnownPeople } from './known-people.ts'
import { createLevelStore, levelKeys } from './links/level-store.ts'
import { hopsOf } from './links/levels.ts'
import { createPointers } from './links/pointers.ts'
import { createPersonRemoval } from './person-removal.ts'
import { createScopeStore, openScope } from './scope-store.ts'
import { findScope, type IdentityScope, type ScopedProject } from './scopes.ts'
import { createTraitsPointers, traitsKeys } from './traits/traits-pointer.ts'
import { createTraitsStore } from './traits/traits-store.ts'
import { createTraitsWork } from './traits/traits-work.ts'

export type IdentityServices = StateTable & {
  lake: Pick<Lake, 'put' | 'list' | 'get' | 'delete'>
  projects: Pick<ProjectDirectory, 'list'>
  clock: Now
}

/** Files of links and of traits that a process knows to exist. */
const MAX_KNOWN_FILES = 10_000
const TRIES = 3

/**
 * Who is who: links of ids, traits and the index of e-mail addresses (docs/api/identity.md,
 * docs/api/portfolios.md), as reads see them. The fold makes all of it from identify requests (fold.ts).
 */
export function createIdentityStore({ lake, projects, clock, ...state }: IdentityServices) {
  const levels = createLevelStore({ ...state, lake })
  const pointers = createPointers(state)
  const traits = createTraitsStore(state)
  const traitsPointers = createTraitsPointers(state)
  const traitsWork = createTraitsWork(state)
  const erasedUsers = createErasedUsers(state)
  const erasureFeed = createErasureFeed({ ...state, clock })
  const work = createIdentityWork(state)
  const scopes = createScopeStore(state, work)
  const refused = createRefusedCounts(state)
  const removal = createPersonRemoval({ erasedUsers, erasureFeed, scopes, work, lake, clock })
  const knownFiles = new QuickLRU<string, true>({ maxSize: MAX_KNOWN_FILES })

  function scopeOf(project: ScopedProject): Promise<IdentityScope> {
    return openScope(scopes, projects, project)
  }

  /** The scope that `scopeOf` returns as soon as its links are made. */
  function wantedScope(project: ScopedProject): Promise<IdentityScope> {
    return findScope(projects, project)
  }

  /**
   * The links files of a scope; null if no ids are linked, which costs nothing. If a file is gone, it asks
   * the fold for a new one, and returns those that are there: a read then has some persons in parts.
   */
  async function openLinks(scope: IdentityScope): Promise<OpenLinks | null> {
    if (!scope.projects.some(({ has_links }) => has_links)) return null
    const { key, bucket } = scope
    let manifest = await levels.read(bucket)
    for (let tries = 0; tries < TRIES; tries++) {
      const files = levelKeys(bucket, manifest.levels)
      if (manifest.isLost !== true && files.length === 0) return null
      if (manifest.isLost !== true && (await allExist(linksPrefix(bucket), files)))
        return { scope: key, bucket, files, hops: hopsOf(manifest) }
      manifest = await levels.read(bucket)
    }
    await repairLinks(bucket)
    const files = levelKeys(bucket, manifest.levels).filter(file => knownFiles.has(file))
    return { scope: key, bucket, files, hops: Math.min(hopsOf(manifest), files.length), isPartial: true }
  }

  /**
   * An engine that finds no file where a statement names one may take it for empty, and all links would be
   * ignored silently.
   */
  async function allExist(prefix: string, files: readonly string[]): Promise<boolean> {
    if (files.every(key => knownFiles.has(key))) return true
    for (const { key } of await lake.list(prefix)) knownFiles.set(key, true)
    return files.every(key => knownFiles.has(key))
  }

  /**
   * The traits files of a project. If one is gone, or none was written yet, it asks the fold for new ones,
   * and returns those that are there.
   */
  async function openTraits(project: { id: string; bucket: number }): Promise<OpenTraits> {
    let files: string[] = []
    for (let tries = 0; tries < TRIES; tries++) {
      const pointer = await traitsPointers.read(project.id)
      if (pointer === null) break
      files = traitsKeys(project, pointer)
      if (await allExist(traitsPrefix(project), files)) return { files }
    }
    await repairTraits(project)
    return { files: files.filter(file => knownFiles.has(file)), isPartial: true }
  }

  /** Lets the fold write the traits files of a project anew, because one is gone or cannot be read. */
  async function repairTraits({ id, bucket }: { id: string; bucket: number }): Promise<void> {
    await traitsWork.save({ id, bucket, due: 0, isChanged: true, isLost: true })
  }

  /** What the look-ups of one read learn of persons. */
  function openPeople(): KnownPeople {
    return openKnownPeople({ pointers, traits, work, erasedUsers })
  }

  /** The id that stands for a person, also while the person is being erased. */
  function finalId({ key }: Pick<IdentityScope, 'key'>, id: string): Promise<string> {
    return pointers.finalId(key, id)
  }

  /** See createPersonRemoval. `ids`: all ids of one person in the scope. */
  async function removePerson(
    scope: IdentityScope,
    ids: readonly string[],
    erasure: { id?: string; until?: number } = {},
  ): Promise<void> {
    const finals = await Promise.all(ids.slice(0, 1).map(id => finalId(scope, id)))
    await removal(scope, ids, { ...erasure, finals })
  }

  /** Lets the fold write the links files of a bucket anew, because one is gone or cannot be read. */
  async function repairLinks(bucket: number): Promise<void> {
    await work.save({ kind: 'rebuild', id: String(bucket) })
  }

  return {
    scopeOf,
    wantedScope,
    openLinks,
    openTraits,
    finalId,
    openPeople,
    readTraits: traits.readTraits,
    refusedLinks: refused.read,
    removePerson,
    repairLinks,
    repairTraits,
  }
}

export type IdentityStore = ReturnType<typeof createIdentityStore>
