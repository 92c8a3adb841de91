import { type TableName, tables } from '#schemas/columns'
import { LINKS_MANIFEST_PREFIX, MANIFEST_PREFIX } from '#schemas/manifests'
import type { Claim } from './claim.ts'
import type { SegmentId } from './segment.ts'
import type { TombstoneBatch } from './tombstone-batch.ts'

/** The keys of all objects in the lake. A key says everything that the content of its object follows from. */

/** The tables that a segment has files in. */
export type SegmentTable = Exclude<
  TableName,
  'events_hot' | 'identity_hot' | 'links' | 'tombstones' | 'user_traits'
>
export const SEGMENT_TABLES: readonly SegmentTable[] = [
  'segment_sessions',
  'segment_activity',
  'segment_event_ids',
  // The last one to be written: where it exists, the segment is complete.
  'segment_events',
]

/** The hot file of a claim. */
export function hotKey(shard: string, claim: Claim): string {
  return `${hotPrefix(claim.epoch)}${shard}-${claim.first}-${claim.last}.parquet`
}

/** The prefix of the hot files of an epoch. */
export function hotPrefix(epoch: number): string {
  return `${tables.events_hot.prefix}/epoch=${epoch}/`
}

/**
 * The shard and the claim in the key of a hot file; null for any other key. The name of a shard may have
 * dashes.
 */
export function parseHotKey(key: string): { shard: string; claim: Claim } | null {
  const match = /^hot\/epoch=(\d+)\/(\w[\w.-]*)-(\d+)-(\d+)\.parquet$/.exec(key)
  if (match === null) return null
  const [, epoch, shard, first, last] = match as unknown as [string, string, string, string, string]
  return { shard, claim: { epoch: Number(epoch), first, last } }
}

/** One file of a segment: `part` counts from 0. */
export function segmentKey(
  table: SegmentTable,
  bucket: number,
  { from, until, generation }: SegmentId,
  part: number,
): string {
  return `${tables[table].prefix}/bucket=${bucket}/${from}-${until}-${generation}-${part}.parquet`
}

/** All files of a segment in one table. A segment without copies to look for has no file of event_ids. */
export function segmentKeys(
  table: SegmentTable,
  bucket: number,
  segment: SegmentId & { parts: number },
): string[] {
  return Array.from({ length: segment.parts }, (_, part) => segmentKey(table, bucket, segment, part))
}

/** The segment in the key of one of its files; null for any other key. */
export function parseSegmentKey(
  key: string,
): { table: SegmentTable; bucket: number; segment: SegmentId; part: number } | null {
  const table = SEGMENT_TABLES.find(name => key.startsWith(`${tables[name].prefix}/`))
  if (table === undefined) return null
  const name = key.slice(tables[table].prefix.length)
  const match = /^\/bucket=(\d+)\/(\d+)-(\d+)-(\d+)-(\d+)\.parquet$/.exec(name)
  if (match === null) return null
  const [bucket, from, until, generation, part] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ]
  return { table, bucket, segment: { from, until, generation }, part }
}

/** The identify requests of a claim. A claim without any has no such file. */
export function identityKey(shard: string, claim: Claim): string {
  return `${identityPrefix(claim.epoch)}${shard}-${claim.first}-${claim.last}.parquet`
}

/** The prefix of the identity files of an epoch. */
export function identityPrefix(epoch: number): string {
  return `${tables.identity_hot.prefix}/epoch=${epoch}/`
}

/** The shard and the claim in the key of an identity file; null for any other key. */
export function parseIdentityKey(key: string): { shard: string; claim: Claim } | null {
  return key.startsWith('hot-identity/') ? parseHotKey(key.replace('hot-identity/', 'hot/')) : null
}

/**
 * One file of links: a level (core/identity/links/levels.ts). `writer` is random, so a file that failed is
 * never taken for another one.
 */
export function linksKey(bucket: number, { number, writer }: { number: number; writer: string }): string {
  return `${linksPrefix(bucket)}${number}-${writer}.parquet`
}

/** The prefix of the links files of a bucket. */
export function linksPrefix(bucket: number): string {
  return `${tables.links.prefix}/bucket=${bucket}/`
}

/** The bucket and the level in the key of a links file; null for any other key. */
export function parseLinksKey(
  key: string,
): { bucket: number; level: { number: number; writer: string } } | null {
  const [, bucket, number, writer] = /^links\/bucket=(\d+)\/(\d+)-([0-9a-f]+)\.parquet$/.exec(key) ?? []
  if (bucket === undefined || number === undefined || writer === undefined) return null
  return { bucket: Number(bucket), level: { number: Number(number), writer } }
}

/**
 * A part of what a project knows of its users (core/identity/traits/traits-files.ts). `writer` is random, so
 * that each writing has files of its own.
 */
export function traitsKey(
  project: { id: string; bucket: number },
  { writer, part }: { writer: string; part: number },
): string {
  return `${traitsPrefix(project)}${writer}-${part}.parquet`
}

/** The prefix of the traits files of a project. */
export function traitsPrefix({ id, bucket }: { id: string; bucket: number }): string {
  return `${tables.user_traits.prefix}/bucket=${bucket}/${id}/`
}

/** The project in the key of a traits file; null for any other key. */
export function parseTraitsKey(key: string): { id: string; bucket: number } | null {
  const [, bucket, id] = /^traits\/bucket=(\d+)\/([\w-]+)\/[0-9a-f]+-\d+\.parquet$/.exec(key) ?? []
  return bucket === undefined || id === undefined ? null : { id, bucket: Number(bucket) }
}

/** The list of the ids of an erased person, until their links are removed. */
export function removalKey(id: string): string {
  return `${tables.links.prefix}/removals/${id}.json`
}

const REMOVAL = /^links\/removals\/\w+\.json$/

/**
 * A file of tombstones. `writer`: when it was written (Unix ms), and a random text, so that two processes
 * that take the same number write different objects; the manifest names one of them.
 */
export function tombstoneKey(
  bucket: number,
  { number, writer }: Pick<TombstoneBatch, 'number' | 'writer'>,
): string {
  return `${tombstonePrefix(bucket)}${number}-${writer}.parquet`
}

/** The prefix of all files of tombstones of a bucket. */
export function tombstonePrefix(bucket: number): string {
  return `${tables.tombstones.prefix}/bucket=${bucket}/`
}

/** The bucket of a file of tombstones, and when it was written, Unix ms; null for any other key. */
export function parseTombstoneKey(key: string): { bucket: number; writtenAt: number } | null {
  const match = /^tombstones\/bucket=(\d+)\/\d+-(\d+)-[0-9a-f]+\.parquet$/.exec(key)
  return match === null ? null : { bucket: Number(match[1]), writtenAt: Number(match[2]) }
}

/**
 * The name of a manifest or of a page. `version`: of the manifest that it was first written for. `writtenAt`,
 * Unix ms, and a hash of the bytes tell it from others that were written for the same version.
 */
export type ManifestName = { version: number; writtenAt: number; hash: string }

export function manifestKey(bucket: number, name: ManifestName): string {
  return `${manifestPrefix(bucket)}${toFileName(name)}`
}

/** The key of a page: segments of a manifest that has many. */
export function manifestPageKey(bucket: number, name: ManifestName): string {
  return `${manifestPrefix(bucket)}page-${toFileName(name)}`
}

/** The prefix of the manifests of a bucket and of their pages. */
export function manifestPrefix(bucket: number): string {
  return `${MANIFEST_PREFIX}bucket=${bucket}/`
}

function toFileName({ version, writtenAt, hash }: ManifestName): string {
  return `${version}-${writtenAt}-${hash}.json.zst`
}

/** What the key of a manifest or of a page says; null for any other key. */
export function parseManifestKey(
  key: string,
): { bucket: number; isPage: boolean; name: ManifestName } | null {
  const match = /^manifests\/bucket=(\d+)\/(page-)?(\d+)-(\d+)-([0-9a-f]+)\.json\.zst$/.exec(key)
  if (match === null) return null
  const [, bucket, page, version, writtenAt, hash] = match
  const name = { version: Number(version), writtenAt: Number(writtenAt), hash: String(hash) }
  return { bucket: Number(bucket), isPage: page !== undefined, name }
}

/** What names the links files of a bucket. `version`: its number of changes. `hash`: of its bytes. */
export function linksManifestKey(
  bucket: number,
  { version, hash }: { version: number; hash: string },
): string {
  return `${linksManifestPrefix(bucket)}${version}-${hash}.json.zst`
}

export function linksManifestPrefix(bucket: number): string {
  return `${LINKS_MANIFEST_PREFIX}bucket=${bucket}/`
}

/** The version in the key of what names links files; null for any other key. */
export function parseLinksManifestKey(key: string): { version: number } | null {
  const match = /^manifests\/links\/bucket=\d+\/(\d+)-[0-9a-f]+\.json\.zst$/.exec(key)
  return match === null ? null : { version: Number(match[1]) }
}

/** The prefix of records that could not be read. */
export const QUARANTINE = 'quarantine/'
/** The prefix of records that only a newer version can read. */
export const WAITING = 'waiting/'

/** The prefix of batches that the consumer has failed to process too often (AWS; lib/storage.ts). */
export const FAILED_BATCHES = 'aws/lambda/'

/** The records of a claim that could not be read, with the reasons. */
export function quarantineKey(shard: string, claim: Claim): string {
  return `${QUARANTINE}${shard}-${claim.first}-${claim.last}.jsonl`
}

/** The records of a claim whose kind this version does not know. */
export function waitingKey(shard: string, claim: Claim): string {
  return `${WAITING}${shard}-${claim.first}-${claim.last}.jsonl`
}

/**
 * The job that deletes the superseded hot files of an epoch. It is finished before the first file is deleted.
 */
export function supersededJobName(epoch: number): string {
  return `expire/${tables.events_hot.prefix}/${epoch}`
}

/** Names in `quarantine/` and `waiting/`. */
const SET_ASIDE = /^\w+\/\w[\w.-]*-\d+-\d+\.jsonl$/
/**
 * Names in folders of other editions, and of AWS itself: no hidden file, and no spaces, which copies of a
 * file manager have.
 */
const ELSEWHERE = /^\w[\w.=:-]*(\/\w[\w.=:-]*)*$/

/** By the start of a key: whether the key has the form that we write there. */
const OWN_FORMS: readonly { prefix: string; isOwn(key: string): boolean }[] = [
  { prefix: `${tables.events_hot.prefix}/`, isOwn: key => parseHotKey(key) !== null },
  ...SEGMENT_TABLES.map(table => ({
    prefix: `${tables[table].prefix}/`,
    isOwn: (key: string) => parseSegmentKey(key) !== null,
  })),
  { prefix: `${tables.identity_hot.prefix}/`, isOwn: key => parseIdentityKey(key) !== null },
  {
    prefix: `${tables.links.prefix}/`,
    isOwn: key => parseLinksKey(key) !== null || REMOVAL.test(key),
  },
  { prefix: `${tables.user_traits.prefix}/`, isOwn: key => parseTraitsKey(key) !== null },
  { prefix: `${tables.tombstones.prefix}/`, isOwn: key => parseTombstoneKey(key) !== null },
  {
    prefix: MANIFEST_PREFIX,
    isOwn: key => parseManifestKey(key) !== null || parseLinksManifestKey(key) !== null,
  },
  { prefix: QUARANTINE, isOwn: key => SET_ASIDE.test(key) },
  { prefix: WAITING, isOwn: key => SET_ASIDE.test(key) },
]

/** Whether an object has a name that the service gives. */
export function isOwnKey(key: string): boolean {
  const form = OWN_FORMS.find(({ prefix }) => key.startsWith(prefix))
  return form === undefined ? ELSEWHERE.test(key) : form.isOwn(key)
}
