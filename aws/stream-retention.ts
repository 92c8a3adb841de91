import {
  DecreaseStreamRetentionPeriodCommand,
  DescribeStreamSummaryCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  IncreaseStreamRetentionPeriodCommand,
  type KinesisClient,
  ListShardsCommand,
} from '@aws-sdk/client-kinesis'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Log, Now } from '#core/ports'

export type StreamRetentionServices = {
  client: KinesisClient
  streamArn: string
  state: Pick<LakeStateStore, 'shards'>
  clock: Now
  log: Log
  /** The retention of the deployment, hours. */
  retentionHours: number
}

const HOUR_MS = 3_600_000
/** How often the scheduler looks, in its ticks of a minute. */
const LOOK_EVERY_MS = HOUR_MS / 2
const MINUTE_MS = 60_000
/** A record may have arrived so long before the stream has it, ms: its request tried again, then ended. */
const IN_FLIGHT_MS = MINUTE_MS
/** A consumer that is this far behind may be off for the weekend. */
const RAISE_AGE_MS = 6 * HOUR_MS
/** A week, the longest time at the lower price of long retention. */
const RAISED_HOURS = 168
/** A consumer that is this close has read what the stream would delete. */
const LOWER_AGE_MS = HOUR_MS
/**
 * Shards that are looked at together. A shard takes five reads a second, and the consumers use two of them.
 */
const TOGETHER = 10

/**
 * Raises the retention of the stream when the lake consumer has stopped, because the stream deletes records
 * also when nobody has read them, and lowers it again when the consumer has caught up. Both are logged. It
 * never goes below the option `retentionHours`. A raised stream costs $14.60 a shard and month.
 */
export function createStreamRetention(services: StreamRetentionServices): {
  tick(): Promise<void>
  /**
   * The arrival of the oldest record that is not in the lake, Unix ms, or some time before it; infinite if
   * all records are, and 0 if Kinesis cannot say.
   */
  oldestUnread(): Promise<number>
  /** All shards that still have records, or may get some. */
  shards(): Promise<string[]>
} {
  const { client, streamArn, state, clock, log, retentionHours } = services

  /** Age of the oldest record that is not in the lake, ms; 0 if all records are. */
  async function oldestUnreadMs(): Promise<number> {
    const highWaters = new Map((await state.shards()).map(({ shard, highWater }) => [shard, highWater]))
    const names = await listShards(client, streamArn)
    let oldest = 0
    for (let i = 0; i < names.length; i += TOGETHER) {
      const ages = names
        .slice(i, i + TOGETHER)
        .map(name => unreadMs(client, { streamArn, name, highWater: highWaters.get(name) ?? null }, clock))
      oldest = Math.max(oldest, ...(await Promise.all(ages)))
    }
    return oldest
  }

  async function adjust(): Promise<void> {
    const { StreamDescriptionSummary: stream } = await client.send(
      new DescribeStreamSummaryCommand({ StreamARN: streamArn, StreamName: nameOf(streamArn) }),
    )
    const hours = stream?.RetentionPeriodHours ?? retentionHours
    const ageMs = await oldestUnreadMs()
    const unreadHours = Math.floor(ageMs / HOUR_MS)
    const change = (RetentionPeriodHours: number) => ({
      StreamARN: streamArn,
      StreamName: nameOf(streamArn),
      RetentionPeriodHours,
    })
    if (ageMs > RAISE_AGE_MS && hours < RAISED_HOURS) {
      await client.send(new IncreaseStreamRetentionPeriodCommand(change(RAISED_HOURS)))
      log('RETENTION_RAISED', { from: hours, to: RAISED_HOURS, unreadHours })
    } else if (ageMs < LOWER_AGE_MS && hours > retentionHours) {
      await client.send(new DecreaseStreamRetentionPeriodCommand(change(retentionHours)))
      log('RETENTION_LOWERED', { from: hours, to: retentionHours, unreadHours })
    }
  }

  return {
    async tick() {
      if (clock.now() % LOOK_EVERY_MS >= MINUTE_MS) return
      // A failure of Kinesis must not stop the rest of maintenance. The next look tries again.
      await adjust().catch(error => log('JOB_FAILED', { job: 'stream-retention', error: String(error) }))
    },
    async oldestUnread() {
      try {
        const ageMs = await oldestUnreadMs()
        return ageMs === 0 ? Number.POSITIVE_INFINITY : clock.now() - ageMs - IN_FLIGHT_MS
      } catch (error) {
        log('JOB_FAILED', { job: 'oldest unread record', error: String(error) })
        return 0
      }
    },
    shards: () => listShards(client, streamArn),
  }
}

function nameOf(streamArn: string): string {
  return streamArn.slice(streamArn.lastIndexOf('/') + 1)
}

/** All shards of the stream, also those that a reshard has closed and that still have records. */
async function listShards(client: KinesisClient, streamArn: string): Promise<string[]> {
  const names: string[] = []
  for (let NextToken: string | undefined; ; ) {
    const page = await client.send(
      // The token names the stream too: Kinesis rejects a call with both.
      new ListShardsCommand(
        NextToken === undefined ? { StreamARN: streamArn, StreamName: nameOf(streamArn) } : { NextToken },
      ),
    )
    names.push(...(page.Shards ?? []).map(({ ShardId = '' }) => ShardId))
    if (page.NextToken === undefined) return names
    NextToken = page.NextToken
  }
}

/**
 * Age of the oldest record of a shard after `highWater`, ms; 0 without one. Kinesis also sends empty pages in
 * front of records, and then says how far behind the page is.
 */
async function unreadMs(
  client: KinesisClient,
  { streamArn, name, highWater }: { streamArn: string; name: string; highWater: string | null },
  clock: Now,
): Promise<number> {
  const { ShardIterator } = await client.send(
    new GetShardIteratorCommand({
      StreamARN: streamArn,
      StreamName: nameOf(streamArn),
      ShardId: name,
      ...(highWater === null
        ? { ShardIteratorType: 'TRIM_HORIZON' }
        : { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', StartingSequenceNumber: highWater }),
    }),
  )
  const { Records: [oldest] = [], MillisBehindLatest = 0 } = await client.send(
    new GetRecordsCommand({ StreamARN: streamArn, ShardIterator, Limit: 1 }),
  )
  const arrivedAt = oldest?.ApproximateArrivalTimestamp?.getTime()
  return Math.max(MillisBehindLatest, arrivedAt === undefined ? 0 : clock.now() - arrivedAt)
}
