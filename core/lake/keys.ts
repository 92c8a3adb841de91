import { type TableName, tables } from '#schemas/columns'
import type { Claim } from './state.ts'

/** The keys of all objects in the lake. A key says everything that the content of its object follows from. */

/** The hot file of a claim. */
export function hotKey(shard: string, claim: Claim): string {
  return `${tables.events_hot.prefix}/epoch=${claim.epoch}/${shard}-${claim.first}-${claim.last}.parquet`
}

/** The warm file of a closed epoch and a bucket. */
export function warmKey(epoch: number, bucket: number): string {
  return `${tables.events_warm.prefix}/epoch=${epoch}/bucket=${bucket}/events.parquet`
}

/** The file of a cold table that the cold compaction of the epochs [from, until) writes for a date and a bucket. */
export function coldKey(table: TableName, date: string, bucket: number, from: number, until: number): string {
  return `${tables[table].prefix}/date=${date}/bucket=${bucket}/${from}-${until}.parquet`
}

/** The epochs [from, until) in the name of a cold file. */
export function coldEpochRange(key: string): [from: number, until: number] {
  const match = /\/(\d+)-(\d+)\.parquet$/.exec(key)
  if (match === null) throw new Error(`${key} has no range of epochs in its name`)
  return [Number(match[1]), Number(match[2])]
}

/** The records of a claim that could not be read, with the reasons. */
export function quarantineKey(shard: string, claim: Claim): string {
  return `quarantine/${shard}-${claim.first}-${claim.last}.jsonl`
}

/** The value of a partition in a key, e.g. of `epoch` in `hot/epoch=7/…`. Throws if the key does not have the partition. */
export function partitionValue(key: string, partition: string): string {
  const start = key.indexOf(`/${partition}=`)
  if (start === -1) throw new Error(`${key} has no partition ${partition}`)
  const from = start + partition.length + 2
  return key.slice(from, key.indexOf('/', from))
}

/** The shard and the claim in the key of a hot file; null for any other key. The name of a shard may have dashes. */
export function parseHotKey(key: string): { shard: string; claim: Claim } | null {
  const match = /^hot\/epoch=(\d+)\/(.+)-(\d+)-(\d+)\.parquet$/.exec(key)
  if (match === null) return null
  const [, epoch, shard, first, last] = match as unknown as [string, string, string, string, string]
  return { shard, claim: { epoch: Number(epoch), first, last } }
}

/** The job that deletes the superseded files of an epoch. It is finished before the first file is deleted. */
export function supersededJobName(prefix: string, epoch: number): string {
  return `expire/${prefix}/${epoch}`
}
