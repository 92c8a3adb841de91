import {
  type ManifestItem,
  padBucket,
  toBatchValues,
  toRetiredNumbers,
  toSegmentNumbers,
} from '#core/lake/model/encode-manifest'
import type { Manifest } from '#core/lake/model/manifest'
import type { StateTable } from '#core/state/state-table'

/** Puts an item of the first edition of the state: it has all of a manifest. */
export async function putFirstEdition({ client, table }: StateTable, manifest: Manifest): Promise<void> {
  const marks = { __edb_e__: 'manifest', __edb_v__: '1' }
  const Key = { pk: '$footfall', sk: `$manifest_1#bucket_${padBucket(manifest.bucket)}` }
  await client.put({ TableName: table, Item: { ...Key, ...marks, ...toManifestItem(manifest) } })
}

function toManifestItem({
  bucket,
  segments,
  retired,
  tombstones,
  round,
  ...numbers
}: Manifest): ManifestItem {
  const { version, compacted, tombstoneCount } = numbers
  return {
    bucket: padBucket(bucket),
    version,
    compacted,
    segments: JSON.stringify(segments.map(toSegmentNumbers)),
    retired: JSON.stringify(retired.map(toRetiredNumbers)),
    ...(tombstoneCount > 0 && { batches: JSON.stringify(tombstones.map(toBatchValues)), tombstoneCount }),
    ...(round.at > 0 && { round: JSON.stringify([round.at, round.number]) }),
  }
}
