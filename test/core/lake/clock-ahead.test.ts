import { expect, test } from 'vitest'
import { createRandom } from '#core/demo/random'
import { createArrivalOrder } from '#core/ingest/ids'
import type { StreamRecord } from '#core/ingest/record'
import { segmentsWithEventIds } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import { hasWholeDates } from '#core/lake/read/segment-rows'
import { closeEpoch } from '#core/lake/restore/close-epoch'
import { repeats, seed } from '#test/support/depth'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'

/** A clock that was a year ahead for a while, and is right again. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const BUCKET = 1

type Pipeline = ReturnType<typeof createLakePipeline>

function accept({ stream }: Pipeline, name: string, receivedAt: number): void {
  stream.accept('s0', eventsRecord([name], receivedAt, { event_id: `id-${name}` }) as StreamRecord)
}

async function send(pipeline: Pipeline, name: string): Promise<void> {
  accept(pipeline, name, pipeline.clock.time)
  await pipeline.consumer.consume('s0')
}

/** The names of all stored events of the bucket. */
async function storedNames(pipeline: Pipeline): Promise<string[]> {
  const { segments } = await pipeline.state.manifest(BUCKET)
  return segments.flatMap(({ from, until, generation }) =>
    pipeline.lake
      .rows(`segments/events/bucket=${BUCKET}/${from}-${until}-${generation}-0.parquet`)
      .map(({ id }) => id),
  )
}

test('compaction goes on, and event_ids from before and from meanwhile are stored once', async () => {
  const pipeline = createLakePipeline({ epochMs: 10 * MINUTE })
  const { clock } = pipeline
  const next = async () => {
    clock.time += 11 * MINUTE
    await pipeline.settle()
  }
  await send(pipeline, 'before')
  await next()
  clock.time += YEAR
  await send(pipeline, 'meanwhile')
  await next()
  // A job that was sent in that time and got lost with its process, and a lease that was not released.
  await send(pipeline, 'waiting')
  clock.time += 11 * MINUTE
  await pipeline.maintenance.tick()
  pipeline.jobs.jobs.length = 0
  await pipeline.state.lease(clock.time, clock.time + MINUTE)
  clock.time -= YEAR
  await send(pipeline, 'after')
  await next()
  clock.time += HOUR
  for (const name of ['before', 'meanwhile', 'after']) await send(pipeline, name)
  await next()
  await next()
  expect((await storedNames(pipeline)).toSorted()).toEqual(['after', 'before', 'meanwhile', 'waiting'])
  const { compacted } = await pipeline.state.manifest(BUCKET)
  expect(compacted).toBe((await pipeline.state.lake()).epoch)
})

test.each([
  ['a year', YEAR],
  ['two days', 2 * DAY],
  ['twenty hours', 20 * HOUR],
  ['five hours', 5 * HOUR],
])(
  'an epoch with events from before and during a jump of %s keeps the ids of both when it is merged',
  async (_, ahead) => {
    const pipeline = createLakePipeline({ epochMs: 10 * MINUTE, mergeSegments: 2 })
    const { clock } = pipeline
    const next = async () => {
      clock.time += 11 * MINUTE
      await pipeline.settle()
    }
    await send(pipeline, 'early')
    await next()
    clock.time += 22 * HOUR
    for (const name of ['before', 'before-too']) await send(pipeline, name)
    clock.time += ahead
    for (const name of ['meanwhile', 'later', 'latest', 'last']) {
      await send(pipeline, name)
      await next()
    }
    clock.time -= ahead
    await send(pipeline, 'after')
    await next()
    clock.time += 30 * MINUTE
    for (const name of ['early', 'before', 'before-too', 'meanwhile', 'last', 'after'])
      await send(pipeline, name)
    await next()
    await next()
    expect((await storedNames(pipeline)).toSorted()).toEqual([
      'after',
      'before',
      'before-too',
      'early',
      'last',
      'later',
      'latest',
      'meanwhile',
    ])
  },
)

test.each([
  ['from the same process', 'same process', 1],
  ['after a restart', 'restart', 1],
  // As on AWS: the events of one epoch have no order but their arrivals.
  ['from another process that runs already', 'other process', 2],
])(
  'an event_id that came while the clock was two days ahead, and again in the same epoch %s',
  async (_, sender, times) => {
    const pipeline = createLakePipeline({ epochMs: 10 * MINUTE })
    const { clock } = pipeline
    const order = createArrivalOrder()
    const takeArrival = () => order.take(clock.time, 1).receivedAt
    clock.time += 2 * DAY
    accept(pipeline, 'meanwhile', takeArrival())
    clock.time += MINUTE - 2 * DAY
    if (sender === 'restart') await closeEpoch(pipeline)
    accept(pipeline, 'meanwhile', sender === 'same process' ? takeArrival() : clock.time)
    while ((await pipeline.consumer.consume('s0')) > 0);
    clock.time += 11 * MINUTE
    await pipeline.settle()
    expect(await storedNames(pipeline)).toHaveLength(times)
  },
)

const segment = (changes: Partial<Segment>) =>
  ({ eventIds: 1, lastArrival: 0, firstAt: 0, lastAt: 0, ...changes }) as Segment
const at = (ms: number) => segment({ lastArrival: ms / 1_000 })

test('ids are known for 30 hours before a jump of the arrivals and before the newest one, and not before older jumps', () => {
  const daysAgo = [900, 500, 499, 100, 99, 0]
  const segments = daysAgo.map(days => at(YEAR * 3 - days * DAY))
  const known = segmentsWithEventIds({ segments })
  expect(known.map(each => (YEAR * 3 - each.lastArrival * 1_000) / DAY)).toEqual([100, 99, 0])
  const steady = [36, 31, 30, 25, 20, 15, 10, 5, 0].map(hours => at(YEAR - hours * HOUR))
  expect(segmentsWithEventIds({ segments: steady })).toEqual(steady.slice(2))
})

test('a clock that was ahead twice, and by more the second time, hides no ids of the right time', () => {
  const now = YEAR
  const right = [22, 17, 12, 7, 2].map(hours => at(now - hours * HOUR))
  const segments = right.flatMap((each, i) => [each, ...(i < 2 ? [at(now + (i + 1) * YEAR)] : [])])
  expect(segmentsWithEventIds({ segments })).toEqual(segments)
  // Two days later those of the right time are old.
  const later = Array.from({ length: 50 }, (_, i) => at(now + (i + 1) * HOUR))
  expect(segmentsWithEventIds({ segments: [...segments, ...later] })).toEqual([
    ...segments.filter(({ lastArrival }) => lastArrival * 1_000 > now),
    ...later.slice(19),
  ])
})

test('records that are stored days late hide no ids of the newest segments', () => {
  const now = YEAR
  const [newest, late, next] = [at(now), at(now - 3 * DAY), at(now + HOUR)] as const
  expect(segmentsWithEventIds({ segments: [newest, late] })).toEqual([newest, late])
  expect(segmentsWithEventIds({ segments: [newest, late, next] })).toEqual([newest, late, next])
  expect(segmentsWithEventIds({ segments: [newest, late, next, at(now + 8 * HOUR)] })).toContain(newest)
})

test('rollups are read until now though a segment has events a year ahead, but not until a past time', () => {
  const now = Date.parse('2026-11-18T15:42:17Z')
  const mixed = segment({ firstAt: now - DAY, lastAt: now + YEAR })
  const midnight = Date.parse('2026-11-01T00:00:00Z')
  expect(hasWholeDates({ now }, [mixed], midnight, now + 5 * MINUTE)).toBe(true)
  expect(hasWholeDates({ now }, [mixed], midnight, now - HOUR)).toBe(false)
  expect(hasWholeDates({}, [mixed], midnight, now + 5 * MINUTE)).toBe(false)
  const near = segment({ firstAt: now - DAY, lastAt: now + DAY })
  expect(hasWholeDates({ now }, [near], midnight, now + 5 * MINUTE)).toBe(false)
})

test('whenever a clock is ahead, and by how much, an event_id that comes again within 22 hours is stored once', async () => {
  for (let round = 0; round < repeats(10, { countPerDepth: 100 }); round++) {
    const random = createRandom(seed * 1_000 + round)
    const pick = <T>(values: readonly T[]): T => values[random.below(values.length)] as T
    const pipeline = createLakePipeline({ epochMs: 10 * MINUTE, mergeSegments: pick([2, 3, 8]) })
    const { clock } = pipeline
    const sentAt = new Map<string, number>()
    /** The epochs of those that the clock has dated ahead: hot copies of them have no order (copies.ts). */
    const aheadIn = new Map<string, number>()
    /** By how much the clock is ahead, and until which step. One jump in 40 hours. */
    let [ahead, until, nextJumpAt] = [0, 0, 0]
    for (let step = 0; step < 60; step++) {
      if (ahead > 0 && step >= until) {
        clock.time -= ahead
        ahead = 0
      }
      const now = clock.time - ahead
      if (ahead === 0 && now >= nextJumpAt && random.below(8) === 0) {
        ahead = pick([3 * HOUR, 8 * HOUR, 20 * HOUR, 2 * DAY, 20 * DAY, YEAR, 2 * YEAR])
        until = step + 1 + random.below(3)
        nextJumpAt = now + 40 * HOUR
        clock.time += ahead
      }
      const { compacted } = await pipeline.state.manifest(BUCKET)
      const known = [...sentAt]
        .filter(([name, at]) => now - at < 22 * HOUR && (aheadIn.get(name) ?? 0) < compacted)
        .map(([name]) => name)
      const isRetry = ahead === 0 && known.length > 0 && random.below(2) === 0
      const name = isRetry ? pick(known) : `${step}`
      if (!isRetry) sentAt.set(name, now)
      if (ahead > 0) aheadIn.set(name, (await pipeline.state.lake()).epoch)
      await send(pipeline, name)
      clock.time += pick([1, 5, 11, 60, 240]) * MINUTE
      if (random.below(3) > 0) await pipeline.settle()
    }
    clock.time -= ahead
    clock.time += 11 * MINUTE
    await pipeline.settle()
    expect((await storedNames(pipeline)).toSorted(), `round ${round}`).toEqual([...sentAt.keys()].toSorted())
  }
})
