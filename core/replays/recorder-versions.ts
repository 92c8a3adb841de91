import { gunzipSync, gzipSync } from 'node:zlib'
import type { Now } from '#core/ports'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import { VERSION_NAME, versionName } from './script-version.ts'

/** A build of the recorder, and the SHA-256 of its UTF-8 bytes in hex. */
export type RecorderScript = { code: string; sha256: string }

/** Maximum number of versions that are kept. Their names are one item, below 50 KB. */
const MAX_VERSIONS = 2_000
/** How long the names are used for a name that is not among them, ms. */
const NAMES_MS = 1_000

/** The names of all versions that are kept. */
const NAMES: ItemKey = { pk: 'recorders', sk: 'names' }

/**
 * The versions of the recorder that pages have loaded by their own addresses. A site that stays on one keeps
 * it through all later releases of the service. One item a version, without an end: a release adds one.
 *
 * Anybody may ask for invented names. A process reads the item of a version only if it is among the names,
 * and reads the names at most once in NAMES_MS.
 */
export function createRecorderVersions({ client, table, clock }: StateTable & { clock: Now }) {
  let names: { readAt: number; known: Promise<ReadonlySet<string>> } | null = null

  /** Keeps a version. Returns false if there are too many already. Throws ApiError UNAVAILABLE. */
  async function keep({ code, sha256 }: RecorderScript): Promise<boolean> {
    const name = versionName({ sha256 })
    const known = await namesFor(name)
    if (known.has(name)) return true
    if (known.size >= MAX_VERSIONS) return false
    const Item = { ...keyOf(name), sha256, code_gzip: gzipSync(code).toString('base64') }
    const put = client.put({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' })
    await conditionHeld(put)
    // After the item, so that each name has its item.
    const added = client.update({
      TableName: table,
      Key: NAMES,
      UpdateExpression: 'ADD version_names :names',
      ExpressionAttributeValues: { ':names': new Set([name]) },
    })
    await orUnavailable(added)
    return true
  }

  /** The version that was kept, or null. Throws ApiError UNAVAILABLE. */
  async function find(name: string): Promise<RecorderScript | null> {
    if (!VERSION_NAME.test(name) || !(await namesFor(name)).has(name)) return null
    const { Item } = await orUnavailable(client.get({ TableName: table, Key: keyOf(name) }))
    if (Item === undefined) return null
    const code = gunzipSync(Buffer.from(String(Item.code_gzip), 'base64')).toString('utf8')
    return { code, sha256: String(Item.sha256) }
  }

  /**
   * The names. They are read again only when this name, which may have been kept since, is not among them.
   */
  async function namesFor(name: string): Promise<ReadonlySet<string>> {
    const known = await names?.known
    if (known?.has(name)) return known
    const now = clock.now()
    if (names === null || names.readAt + NAMES_MS <= now) names = { readAt: now, known: readNames() }
    return names.known
  }

  async function readNames(): Promise<ReadonlySet<string>> {
    try {
      const { Item } = await orUnavailable(client.get({ TableName: table, Key: NAMES }))
      return (Item?.version_names as Set<string> | undefined) ?? new Set()
    } catch (error) {
      names = null
      throw error
    }
  }

  return { keep, find }
}

export type RecorderVersions = ReturnType<typeof createRecorderVersions>

function keyOf(name: string): ItemKey {
  return { pk: 'recorders', sk: name }
}
