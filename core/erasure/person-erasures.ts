import type { Project } from '#core/projects/project'
import type { ErasedPart, Erasures } from './erasures.ts'
import type { OwnerTexts } from './owner-texts.ts'
import type { UnfinishedErasures } from './unfinished-erasures.ts'

export type PersonErasureServices = {
  erasures: Pick<Erasures, 'erasePerson' | 'eraseIds'>
  unfinished: UnfinishedErasures
  ownerTexts: Pick<OwnerTexts, 'erase'>
}

/**
 * Erasures of persons with all that belongs to them: also what the owner has written about them, and the
 * memory of those that were interrupted.
 */
export function createPersonErasures({ erasures, unfinished, ownerTexts }: PersonErasureServices) {
  /**
   * As `erasePerson` of erasures.ts. `userIds` begins with the id that the request named: after a crash the
   * same request goes on, whether reads still know the person or not (`isUnfinished`).
   */
  async function erasePerson(
    parts: readonly [ErasedPart, ...ErasedPart[]],
    userIds: readonly string[],
    removeIdentity: (erasureId: string, until: number) => Promise<unknown> = async () => {},
  ): Promise<string> {
    const [asked = ''] = userIds
    const begun = await unfinished.begin(parts, asked)
    const id = await erasures.erasePerson(begun, userIds, async (erasureId, until) => {
      // Before the links go: a second try would not know the other ids.
      for (const { project } of parts) await ownerTexts.erase(project, userIds)
      await removeIdentity(erasureId, until)
    })
    await unfinished.end(parts[0].project.id, asked)
    return id
  }

  /** As `eraseIds` of erasures.ts. */
  async function eraseIds(
    project: Pick<Project, 'id' | 'bucket'>,
    ids: readonly string[],
    until: number,
  ): Promise<void> {
    await erasures.eraseIds(project, ids, until)
    await ownerTexts.erase(project, ids)
  }

  /** Whether an erasure that named this id has begun, and was interrupted. */
  function isUnfinished({ id }: Pick<Project, 'id'>, userId: string): Promise<boolean> {
    return unfinished.has(id, userId)
  }

  return { erasePerson, eraseIds, isUnfinished }
}
