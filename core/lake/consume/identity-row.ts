import { parquetReadObjects } from 'hyparquet'
import type { Refusal } from '#core/ingest/who-may-link'
import type { JsonObject } from '#core/text/json-object'
import type { CountedRecord } from './counts.ts'
import { encodeRows } from './parquet.ts'

/** What one identify request says, as a row of the identity file of its claim. */
export type IdentityRow = {
  project_id: string
  /** Null if the request links no ids. */
  previous_id: string | null
  user_id: string
  /** Arrival, Unix ms. */
  at: number
  seq: number
  /** Without e-mail addresses; null if the request has none. */
  traits: JsonObject | null
  /** The keyed hash of the user's e-mail address (email-hash.ts), or null. */
  email_hash: string | null
  hasCredential: boolean
  /** Why ids of the request were not linked, or null. */
  refused: Refusal | null
}

/** The rows of the identify records of a claim. */
export function toIdentityRows(records: readonly CountedRecord[]): IdentityRow[] {
  return records.flatMap(record => {
    if (record.kind !== 'identify') return []
    const { project_id, previous_id, user_id, traits, email_hash, received_at: at, seq } = record
    const { refused = null, has_credential: hasCredential = false } = record
    const linked = previous_id === user_id || refused !== null ? null : previous_id
    return [{ project_id, previous_id: linked, user_id, at, seq, traits, email_hash, hasCredential, refused }]
  })
}

/** Encodes an identity file. The same rows always give the same bytes. */
export function encodeIdentity(rows: readonly IdentityRow[]): Uint8Array {
  return encodeRows(
    'identity_hot',
    rows.map(({ at, traits, hasCredential, ...row }) => ({
      ...row,
      arrived_at: at,
      traits: traits === null ? null : JSON.stringify(traits),
      has_credential: hasCredential ? 1 : 0,
    })),
  )
}

/** Reads an identity file. Throws an Error if it is damaged. */
export async function decodeIdentity(bytes: Uint8Array): Promise<IdentityRow[]> {
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer })
  return rows.map(row => ({
    project_id: String(row.project_id),
    previous_id: textOf(row.previous_id),
    user_id: String(row.user_id),
    at: Number(row.arrived_at),
    seq: Number(row.seq),
    traits: row.traits == null ? null : (JSON.parse(String(row.traits)) as JsonObject),
    email_hash: textOf(row.email_hash),
    hasCredential: Number(row.has_credential) === 1,
    refused: textOf(row.refused) as Refusal | null,
  }))
}

function textOf(value: unknown): string | null {
  return value == null ? null : String(value)
}
