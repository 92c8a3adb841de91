import { createLevelStore } from '#core/identity/links/level-store'
import { dueMerge, KEEP_RETIRED_MS } from '#core/identity/links/levels'
import { createTraitsWork } from '#core/identity/traits/traits-work'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Lake, Now } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { createFoldHead } from './fold-head.ts'
import { isFolded, listIdentityFiles } from './identity-files.ts'
import { createIdentityWork } from './identity-work.ts'

/** What asks the fold to run, beside a claim with identify requests. */
export type IdentityJob = { kind: 'fold-identity' }

export type FoldDueServices = StateTable & {
  lake: Pick<Lake, 'list' | 'get' | 'put' | 'delete'>
  lakeState: Pick<LakeStateStore, 'lake'>
  keepRetiredMs?: number
  clock: Now
}

/** Whether there is anything for the fold to do: files, other work, files to merge or to delete. */
export async function isFoldDue({
  lake,
  lakeState,
  keepRetiredMs = KEEP_RETIRED_MS,
  clock,
  ...state
}: FoldDueServices): Promise<boolean> {
  const head = await createFoldHead(state).read()
  if (head.leaseUntil > clock.now()) return false
  if (head.behind !== null || Object.keys(head.damaged).length > 0) return true
  if ((await createIdentityWork(state).list()).length > 0) return true
  if ((await createTraitsWork(state).due(clock.now())).length > 0) return true
  const oldest = clock.now() - keepRetiredMs
  const manifests = await createLevelStore({ ...state, lake }).readAll()
  const isChoreDue = manifests.some(
    manifest =>
      manifest.isLost || manifest.retired.some(({ at }) => at <= oldest) || dueMerge(manifest).length > 1,
  )
  if (isChoreDue) return true
  const files = await listIdentityFiles({ lake, state: lakeState }, head)
  return files.some(file => !isFolded(head, file))
}
