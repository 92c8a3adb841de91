import type { LakeConsumer } from '#core/lake/consume/consumer'
import { hotPrefix } from '#core/lake/model/keys'
import type { EventStream, Lake } from '#core/ports'
import { openEpochs, type RaiseEpochServices } from './raise-epoch.ts'

export type CloseEpochServices = RaiseEpochServices & {
  stream: Pick<EventStream, 'shards'>
  lake: Pick<Lake, 'list'>
  consumer: Pick<LakeConsumer, 'consume'>
}

/**
 * Moves all records of the stream into the lake, and closes their epoch. A start calls it where a clock that
 * was far ahead has dated the newest records. What arrives from then on is in a later epoch, so it comes
 * after them, whatever their arrivals say, and their event_ids are known (core/lake/model/copies.ts). Within
 * one epoch only arrivals order the events.
 */
export async function closeEpoch(services: CloseEpochServices): Promise<void> {
  const { state, stream, lake, consumer } = services
  for (const shard of await stream.shards()) while ((await consumer.consume(shard)) > 0);
  const { epoch } = await state.lake()
  if ((await lake.list(hotPrefix(epoch))).length > 0) await openEpochs(services, epoch + 1)
}
