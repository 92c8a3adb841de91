import { parseHotKey } from '#core/lake/model/keys'
import { textLiteral } from '#core/sql/text-literal'

/**
 * Writes the condition that a row is in one of the files. `lakeLocation` is the address of the lake, e.g.
 * s3://bucket.
 */
export type FileConditionForm = (files: readonly string[], lakeLocation: string) => string

/** The address of a hot file has up to 250 characters, that of a file of a segment about 70. */
const MAX_HOT_FILES = 1_000

/**
 * By address: Athena's column "$path" has the address of the file that a row comes from, and Athena opens
 * only files that the condition names. No row is in none of the files. More than MAX_HOT_FILES hot files are
 * not named.
 */
export const byAddress: FileConditionForm = (files, lakeLocation) => {
  if (files.length === 0) return 'false'
  if (files.length > MAX_HOT_FILES && areHot(files)) return 'true'
  return `"$path" IN (${list(files.map(key => `${lakeLocation}/${key}`))})`
}

/**
 * Names the files of segments, and no hot files. The statement's condition on epochs chooses the hot files,
 * and may choose some that were written after the snapshot. Files of segments are always named, because older
 * segments have the same rows.
 */
export const withoutHotFiles: FileConditionForm = (files, lakeLocation) =>
  areHot(files) && files.length > 0 ? 'true' : byAddress(files, lakeLocation)

/**
 * By the names of the files within their folder, which are much shorter than addresses. Athena then opens
 * every file of the partition, also those of retired segments, and leaves their rows out.
 */
export const byName: FileConditionForm = (files, lakeLocation) => {
  const [first] = files
  if (first === undefined) return 'false'
  if (areHot(files)) return 'true'
  const folder = first.slice(0, first.lastIndexOf('/') + 1)
  if (!files.every(key => key.startsWith(folder) && key.endsWith(SUFFIX)))
    throw new Error(`files of several folders: ${first}`)
  const names = files.map(key => key.slice(folder.length, -SUFFIX.length))
  const start = `${lakeLocation}/${folder}`.length + 1
  return `replace(substr("$path", ${start}), '${SUFFIX}', '') IN (${list(names)})`
}

const SUFFIX = '.parquet'

function areHot(files: readonly string[]): boolean {
  return files.every(key => parseHotKey(key) !== null)
}

function list(texts: readonly string[]): string {
  return texts.map(textLiteral).join(', ')
}
