import { ApiError } from '#core/errors'
import { queryItems } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import type { StateTable } from '#core/state/state-table'

/**
 * The number of the forms of all data together: items of the state, records of the stream, files of the lake
 * (docs/formats.md). The item of the lake has it (state-store.ts). Whoever changes a form so that versions
 * before it would read it wrongly raises the number, and keeps a folder of the new edition in
 * test/fixtures/editions/.
 */
export const EDITION = 1

/** Seconds after which a caller may try again: somebody has to start another version first. */
const RETRY_AFTER = 600

/**
 * The data is of an edition that this version must not touch. The message is for the operator and callers.
 */
export class EditionError extends ApiError {
  constructor(message: string) {
    super('UNAVAILABLE', message, { retryAfter: RETRY_AFTER })
    this.name = 'EditionError'
  }
}

/** Throws EditionError for data of a newer edition: this version would read it wrongly, and write over it. */
export function assertNotNewer(edition: number): void {
  if (edition <= EDITION) return
  throw new EditionError(
    `The data is of edition ${edition}, and this version of Footfall knows editions up to ${EDITION}. Start the version that wrote the data, or a newer one.`,
  )
}

/** The partition of the lake's items, and the keys of two kinds of them, as ElectroDB names them. */
const LAKE_PARTITION = '$footfall'
const LAKE_ITEM = '$lake_1'
const MANIFEST_ITEMS = '$manifest_1#bucket_'

/**
 * The older edition of the data, which this version converts at its first read of the lake; null when there
 * is nothing to convert. Throws EditionError for data that must not be touched.
 */
export async function convertibleEdition(state: StateTable): Promise<number | null> {
  const { client, table } = state
  const Key = { pk: LAKE_PARTITION, sk: LAKE_ITEM }
  const Item = await readItem({ client, table }, Key)
  if (Item === undefined || Item.edition === EDITION) return null
  const edition = Number(Item.edition ?? 0)
  assertNotNewer(edition)
  if (edition === 0) await assertNotForgotten(state)
  return edition
}

/**
 * Throws EditionError for a table from before 2026-11-23, which no version since then can read: its erasures
 * and its oldest files would be ignored. Versions since then had no numbers either, and their tables are
 * read. Only a table without a number is asked.
 */
export async function assertNotForgotten({ client, table }: StateTable): Promise<void> {
  const Key = { pk: LAKE_PARTITION, sk: LAKE_ITEM }
  const Item = await readItem({ client, table }, Key)
  const manifests = await queryItems({ client, table }, LAKE_PARTITION, MANIFEST_ITEMS, `${MANIFEST_ITEMS}~`)
  // The lake of before segments had two more watermarks. Erasures were a list in each manifest.
  const isForgotten =
    Item?.warm !== undefined ||
    Item?.cold !== undefined ||
    manifests.some(({ tombstones = '[]' }) => tombstones !== '[]')
  if (!isForgotten) return
  throw new EditionError(
    'The data was written by a version from before 2026-11-23, which this version cannot read: events that were erased would be shown again. Start that version, or give this one an empty table and lake.',
  )
}
