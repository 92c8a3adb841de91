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
 * Moves all records of the stream into the lake, and closes their epoch. A start calls it if the newest
 * records were dated by a clock that was far ahead. Within one epoch, only the time of arrival orders events,
 * and that order would be wrong here. In a later epoch, new events come after the old ones whatever their
 * times are, and copies of old events are found by event_id (core/lake/model/copies.ts).
 */
export async function closeEpoch(services: CloseEpochServices): Promise<void> {
  const { state, stream, lake, consumer } = services
  for (const shard of await stream.shards()) while ((await consumer.consume(shard)) > 0);
  const { epoch } = await state.lake()
  if ((await lake.list(hotPrefix(epoch))).length > 0) await openEpochs(services, epoch + 1)
}
