import { parquetReadObjects } from 'hyparquet'

/** Reads a links file: the final id of each previous id. */
export async function readFinalIds(bytes: Uint8Array): Promise<Map<string, string>> {
  const file = new Uint8Array(bytes).buffer
  const rows = await parquetReadObjects({ file, columns: ['previous_id', 'linked_id'] })
  return new Map(rows.map(({ previous_id, linked_id }) => [String(previous_id), String(linked_id)]))
}
