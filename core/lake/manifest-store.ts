import { Entity } from '#core/entity'
import { conditionHeld, orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import { type EpochRange, type ManifestItems, NO_EMPTY_EPOCHS } from './empty-epochs.ts'
import { padBucket, toManifest, toManifestItem } from './encode-manifest.ts'

/** The manifests and the empty epochs as items in DynamoDB. */
export function manifestItems(state: StateTable): ManifestItems {
  const manifests = manifestEntity(state)
  const emptyEpochs = emptyEpochsEntity(state)

  return {
    async readManifest(bucket) {
      const { data } = await orUnavailable(
        manifests.get({ bucket: padBucket(bucket) }).go({ consistent: true }),
      )
      return data === null ? null : toManifest(data)
    },
    async readManifests() {
      const { data } = await orUnavailable(manifests.query.main({}).go({ consistent: true, pages: 'all' }))
      return data.map(toManifest)
    },
    saveManifest(manifest) {
      const write = manifests
        .put(toManifestItem(manifest))
        .where(({ version }, operations) => hasVersionBefore(manifest.version, version, operations))
      return conditionHeld(write.go())
    },
    async readEmptyEpochs() {
      const { data } = await orUnavailable(emptyEpochs.get({}).go({ consistent: true }))
      return data === null ? NO_EMPTY_EPOCHS : { version: data.version, ranges: toRanges(data.ranges) }
    },
    saveEmptyEpochs({ version, ranges }) {
      const write = emptyEpochs
        .put({ version, ranges: JSON.stringify(toNumbers(ranges)) })
        .where((item, operations) => hasVersionBefore(version, item.version, operations))
      return conditionHeld(write.go())
    },
  }
}

/** The condition that the item has the version before the new one: none before version 1. */
function hasVersionBefore<Attribute>(
  newVersion: number,
  attribute: Attribute,
  {
    notExists,
    eq,
  }: { notExists(attribute: Attribute): string; eq(attribute: Attribute, value: number): string },
): string {
  return newVersion === 1 ? notExists(attribute) : eq(attribute, newVersion - 1)
}

/**
 * The ranges are stored as a JSON text of [bucket, from, until]: 64 of them take about 1 KB, one or two units
 * of a write.
 */
function toNumbers(ranges: ReadonlyMap<number, EpochRange>): number[][] {
  return [...ranges].map(([bucket, { from, until }]) => [bucket, from, until])
}

function toRanges(text: string): Map<number, EpochRange> {
  const numbers = JSON.parse(text) as [number, number, number][]
  return new Map(numbers.map(([bucket, from, until]) => [bucket, { from, until }]))
}

/** All manifests have the same partition key, so one query lists them. */
function manifestEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'manifest', version: '1' },
      attributes: {
        bucket: { type: 'string', required: true },
        version: { type: 'number', required: true },
        compacted: { type: 'number', required: true },
        segments: { type: 'string', required: true },
        retired: { type: 'string', required: true },
        batches: { type: 'string' },
        tombstones: { type: 'string' },
        round: { type: 'string' },
        tombstoneCount: { type: 'number' },
      },
      indexes: primaryIndex({ pk: [], sk: ['bucket'] }),
    },
    { client, table },
  )
}

function emptyEpochsEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'emptyepochs', version: '1' },
      attributes: {
        version: { type: 'number', required: true },
        ranges: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: [], sk: [] }),
    },
    { client, table },
  )
}
