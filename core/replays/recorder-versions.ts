import { gunzipSync, gzipSync } from 'node:zlib'
import { conditionHeld, type ItemKey, orUnavailable, type StateTable } from '#core/state-table'

/** A build of the recorder, and the SHA-256 of its UTF-8 bytes in hex. */
export type RecorderScript = { code: string; sha256: string }

/** The address of a version has this many characters of its SHA-256. */
const VERSION_CHARS = 16
const VERSION = new RegExp(`^[0-9a-f]{${VERSION_CHARS}}\\.js$`)

/** The name of a build in its address, such as `0123456789abcdef.js`. */
export function versionOf({ sha256 }: Pick<RecorderScript, 'sha256'>): string {
  return `${sha256.slice(0, VERSION_CHARS)}.js`
}

/**
 * The versions of the recorder that pages have loaded by their own addresses. A site that stays on one keeps
 * it through all later releases of the service. One item a version, without an end: a release adds one.
 */
export function createRecorderVersions({ client, table }: StateTable) {
  /** Keeps a version. Throws ApiError UNAVAILABLE. */
  async function keep({ code, sha256 }: RecorderScript): Promise<void> {
    const Item = {
      ...keyOf(versionOf({ sha256 })),
      ...{ sha256, code_gzip: gzipSync(code).toString('base64') },
    }
    const put = client.put({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' })
    await conditionHeld(put)
  }

  /** The version that was kept, or null. Throws ApiError UNAVAILABLE. */
  async function find(version: string): Promise<RecorderScript | null> {
    if (!VERSION.test(version)) return null
    const { Item } = await orUnavailable(client.get({ TableName: table, Key: keyOf(version) }))
    if (Item === undefined) return null
    const code = gunzipSync(Buffer.from(String(Item.code_gzip), 'base64')).toString('utf8')
    return { code, sha256: String(Item.sha256) }
  }

  return { keep, find }
}

export type RecorderVersions = ReturnType<typeof createRecorderVersions>

function keyOf(version: string): ItemKey {
  return { pk: 'recorders', sk: version }
}
