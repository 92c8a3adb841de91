import { partition } from '#core/identity/links/pointers'
import { identityKey, isEarlierLinksKey } from '#core/lake/keys'
import type { Lake } from '#core/ports'
import { type Item, scanPages } from '#core/query-all'
import type { StateTable } from '#core/state-table'
import { writeItems } from '#core/write-items'
import { tables } from '#schemas/columns'
import { encodeIdentity, type IdentityRow } from './identity-row.ts'

/** The name of the shard of the identity files that are made here. */
const SHARD = 'earlier'
/** The items of links, and of lists of links files. */
const EARLIER_ITEMS = {
  FilterExpression: 'begins_with(pk, :pk) AND (begins_with(sk, :sk) OR sk = :resolved)',
  ExpressionAttributeValues: { ':pk': partition(''), ':sk': 'id#', ':resolved': 'resolved' },
}
const LINK = /^id#[0-9a-f]{32}#(to|from)#/

/**
 * Takes over the links of an earlier version, in which the state table had two items for each link, and each
 * scope its own links files. They become identity files, which the fold takes first, and the items and the
 * old files are deleted. It may be repeated. Call it once, before the first fold.
 */
export async function importEarlierLinks({
  lake,
  epoch,
  ...state
}: StateTable & { lake: Pick<Lake, 'put' | 'list' | 'delete'>; epoch: number }): Promise<void> {
  let sequence = 0
  for await (const items of scanPages(state, EARLIER_ITEMS)) {
    const rows = items.filter(({ sk }) => LINK.exec(String(sk))?.[1] === 'to').map(toRow)
    if (rows.length > 0) {
      const claim = { first: String(sequence + 1), last: String(sequence + rows.length), epoch }
      sequence += rows.length
      await lake.put(identityKey(SHARD, claim), encodeIdentity(rows))
    }
    await writeItems(
      state,
      items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } })),
    )
  }
  const objects = await lake.list(`${tables.links.prefix}/bucket=`)
  const files = objects.filter(({ key }) => isEarlierLinksKey(key))
  if (files.length > 0) await lake.delete(files.map(({ key }) => key))
}

function toRow({ pk, previous_id, user_id, at, seq }: Item): IdentityRow {
  return {
    project_id: String(pk).slice(partition('').length),
    previous_id: String(previous_id),
    user_id: String(user_id),
    at: Number(at),
    seq: Number(seq),
    traits: null,
    email_hash: null,
    hasCredential: true,
    refused: null,
  }
}
