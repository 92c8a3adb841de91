import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Lake } from '#core/ports'
import { MARK_KEY } from '#core/promote/mark'
import { scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { lakeDir, statePath } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import { connectState } from '#local/state/state'

/** All items and objects of a deployment, each as a text, without the mark of a promotion. */
export async function contentOf(table: StateTable, lake: Lake): Promise<string[]> {
  const texts: string[] = []
  for await (const page of scanPages(table, {})) texts.push(...page.filter(isCopied).map(inOrder))
  for (const { key } of await lake.list('')) {
    const bytes = (await lake.get(key)) ?? expect.unreachable(key)
    texts.push(`${key} ${createHash('sha256').update(bytes).digest('hex')}`)
  }
  return texts.toSorted()
}

/** Not the mark, and not what the table deletes by itself: the fixture's live buffer is long over. */
function isCopied({ pk, expires_at }: Record<string, unknown>): boolean {
  return pk !== MARK_KEY.pk && (expires_at === undefined || Number(expires_at) * 1_000 > Date.now())
}

/** All items and objects of a folder that no service uses. */
export async function contentOfFolder(dataDir: string): Promise<string[]> {
  const state = connectState(statePath(dataDir))
  try {
    return await contentOf(state, createFolderLake(lakeDir(dataDir)))
  } finally {
    await state.close()
  }
}

function inOrder(item: Record<string, unknown>): string {
  return JSON.stringify(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
