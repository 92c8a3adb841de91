import { type TableName, tables } from '#schemas/columns'
import type { Claim } from './state.ts'

/** Where everything lies in the lake. A key says all that its content follows from. */

/** The hot file of a claim. */
export function hotKey(shard: string, claim: Claim): string {
  return `${tables.events_hot.prefix}/epoch=${claim.epoch}/${shard}-${claim.first}-${claim.last}.parquet`
}

/** The warm file of a closed epoch and bucket. */
export function warmKey(epoch: number, bucket: number): string {
  return `${tables.events_warm.prefix}/epoch=${epoch}/bucket=${bucket}/events.parquet`
}

/** The cold file, of events or of a rollup, that the roll [from, until) wrote for a date and a bucket. */
export function coldKey(table: TableName, date: string, bucket: number, from: number, until: number): string {
  return `${tables[table].prefix}/date=${date}/bucket=${bucket}/${from}-${until}.parquet`
}

/** The range [from, until) of epochs in a cold file's name. */
export function coldEpochRange(key: string): [from: number, until: number] {
  const match = /\/(\d+)-(\d+)\.parquet$/.exec(key)
  if (match === null) throw new Error(`${key} names no range of epochs`)
  return [Number(match[1]), Number(match[2])]
}

/** Records of a claim that could not be read, with the reasons. */
export function quarantineKey(shard: string, claim: Claim): string {
  return `quarantine/${shard}-${claim.first}-${claim.last}.jsonl`
}

/** The value of a partition in a key, e.g. `epoch` of `hot/epoch=7/…`. Throws when the key has no such part. */
export function partitionValue(key: string, partition: string): string {
  const start = key.indexOf(`/${partition}=`)
  if (start === -1) throw new Error(`${key} has no partition ${partition}`)
  const from = start + partition.length + 2
  return key.slice(from, key.indexOf('/', from))
}

/** The shard and range in a hot file's name; null for any other key. A shard's name may hold dashes. */
export function parseHotKey(key: string): { shard: string; claim: Claim } | null {
  const match = /^hot\/epoch=(\d+)\/(.+)-(\d+)-(\d+)\.parquet$/.exec(key)
  if (match === null) return null
  const [, epoch, shard, first, last] = match as unknown as [string, string, string, string, string]
  return { shard, claim: { epoch: Number(epoch), first, last } }
}

/** The name under which the state notes that an epoch's finer copy is no longer whole (LakeStateStore.finishJob). */
export function supersededJobName(prefix: string, epoch: number): string {
  return `expire/${prefix}/${epoch}`
}
