import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StateTable } from '#core/state/state-table'
import type { ClaimedEvents, UsageCounters } from '#core/usage/counters'
import { joinAllTimes, joinTimes } from '#core/usage/event-times'
import { createUsageStore } from '#core/usage/store'
import { propertySettings } from '#test/support/depth'
import { projectIdOf } from '#test/support/project-ids'
import { openTestState, type TestState } from '#test/support/test-state'

/**
 * Compares the counters with a naive model, over random claims, folds and deletions by two processes. Writes
 * fail before or after they take effect; then another process, or the same one, repeats the work. Old claims
 * and folds come again at any time.
 */

const SHARDS = ['s1', 's2'] as const
const DAYS = ['2026-10-31', '2026-11-01', '2026-11-21'] as const
const MONTHS = ['2026-10', '2026-11'] as const
const PROJECTS = [
  { project_id: projectIdOf(0, 'p0_'), account_id: 'a0', bucket: 0 },
  { project_id: projectIdOf(0, 'p1_'), account_id: 'a0', bucket: 0 },
  { project_id: projectIdOf(1, 'p2_'), account_id: 'a0', bucket: 1 },
  { project_id: projectIdOf(1, 'p3_'), account_id: 'a1', bucket: 1 },
  { project_id: projectIdOf(2, 'p4_'), account_id: 'a1', bucket: 2 },
] as const
const BUCKETS = [0, 1, 2] as const
const OWNERS = [...PROJECTS.map(({ project_id }) => project_id), 'a0', 'a1']

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

/** The state table of a process of which one write fails: `sent` says whether it takes effect before. */
function openProcess() {
  let failure: { writesBefore: number; sent: boolean } | null = null
  const send = state.client.send.bind(state.client) as (
    command: object,
    ...rest: unknown[]
  ) => Promise<unknown>
  const client = new Proxy(state.client, {
    get(target, property) {
      if (property !== 'send') return Reflect.get(target, property, target)
      return async (command: object, ...rest: unknown[]) => {
        const isWrite = /^(Put|Update|Delete)/.test(command.constructor.name)
        if (!isWrite || failure === null || failure.writesBefore-- > 0) return send(command, ...rest)
        const { sent } = failure
        failure = null
        if (sent) await send(command, ...rest)
        throw new Error('the write has failed')
      }
    },
  })
  const usage = createUsageStore({ client, table: state.table } satisfies StateTable)
  return {
    usage,
    /** Does the work with the failure. Returns whether it has succeeded. */
    async attempt(given: typeof failure, work: (usage: UsageCounters) => Promise<void>): Promise<boolean> {
      failure = given
      try {
        await work(usage)
        return true
      } catch {
        return false
      } finally {
        failure = null
      }
    },
  }
}

const failure = fc.option(fc.record({ writesBefore: fc.nat(3), sent: fc.boolean() }))
const process = fc.nat(1)
const row = fc.record({
  project: fc.constantFrom(...PROJECTS),
  day: fc.constantFrom(...DAYS),
  events: fc.integer({ min: 1, max: 9 }),
  /** Those of the events that compaction finds to be copies. */
  copies: fc.nat(9),
  /** When the first event happened, and how long after it the last one. */
  first: fc.nat(1_000),
  length: fc.nat(1_000),
})
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      process,
      failure,
      shard: fc.constantFrom(...SHARDS),
      rows: fc.array(row, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('nextEpoch' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('fold' as const),
      process,
      failure,
      bucket: fc.constantFrom(...BUCKETS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), process, failure }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const), process, which: fc.nat() }) },
)
type Row = ClaimedEvents & { epoch: number; stored: number }

/** The naive model: all rows, and up to which epoch each bucket is folded. */
function createModel() {
  const rows: Row[] = []
  const folded = new Map<number, number>(BUCKETS.map(bucket => [bucket, 0]))
  const count = (row: Row, isFolded: boolean) => (isFolded ? row.stored : row.events)
  return {
    rows,
    folded,
    eventsOf(owner: string, days = ''): number {
      return rows
        .filter(row => (row.project_id === owner || row.account_id === owner) && row.day.startsWith(days))
        .reduce((sum, row) => sum + count(row, row.epoch <= (folded.get(row.bucket) ?? 0)), 0)
    },
    timesOf: (project: string) => joinAllTimes(rows.filter(row => row.project_id === project)),
  }
}

async function expectModel(
  usage: UsageCounters,
  model: ReturnType<typeof createModel>,
  owners: readonly string[],
): Promise<void> {
  const totals = await usage.totals(PROJECTS.map(({ project_id }) => project_id))
  expect(totals.map(({ events }) => events)).toEqual(
    PROJECTS.map(({ project_id }) => model.eventsOf(project_id)),
  )
  expect(totals.map(({ times }) => times)).toEqual(
    PROJECTS.map(({ project_id }) => model.timesOf(project_id)),
  )
  for (const owner of owners) {
    for (const month of MONTHS) {
      const { events, days } = await usage.month(owner, month)
      expect(events, `${owner} ${month}`).toBe(model.eventsOf(owner, month))
      for (const [day, { events }] of Object.entries(days)) expect(events).toBe(model.eventsOf(owner, day))
    }
  }
}

test('the counters equal the stored events after any claims, folds, failures and repetitions', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async steps => {
    await state.empty()
    const processes = [openProcess(), openProcess()]
    const processOf = (index: number) => processes[index] as (typeof processes)[number]
    const model = createModel()
    const earlierWork: ((usage: UsageCounters) => Promise<void>)[] = []
    let epoch = 1
    let sequence = 0

    /** Tries once with the failure. What has failed is repeated by the other process. */
    async function finish(
      step: { process: number; failure: Parameters<(typeof processes)[0]['attempt']>[0] },
      work: (usage: UsageCounters) => Promise<void>,
    ): Promise<void> {
      if (!(await processOf(step.process).attempt(step.failure, work))) {
        await work(processOf(1 - step.process).usage)
      }
    }

    for (const [i, step] of steps.entries()) {
      if (step.kind === 'nextEpoch') epoch += 1
      if (step.kind === 'claim') {
        sequence += 1
        const rows = step.rows.map(({ project, day, events, copies, first, length }) => ({
          ...{ ...project, day, events, epoch, stored: Math.max(0, events - copies) },
          times: { first, last: first + length },
        }))
        const claim = { shard: step.shard, epoch, last: String(sequence) }
        const sums = Map.groupBy(rows, ({ project_id, day }) => `${project_id} ${day}`)
        const counts = [...sums.values()].map(([first, ...others]) => ({
          ...(first as Row),
          events: others.reduce((sum, { events }) => sum + events, first?.events ?? 0),
          times: joinTimes((first as Row).times, joinAllTimes(others)),
        }))
        const work = (usage: UsageCounters) => usage.addClaim(claim, counts)
        await finish(step, work)
        earlierWork.push(work)
        model.rows.push(...rows)
      }
      if (step.kind === 'fold') {
        const { bucket } = step
        const folding = (model.folded.get(bucket) ?? 0) + 1
        if (folding >= epoch) continue
        const stored = model.rows
          .filter(row => row.bucket === bucket && row.epoch === folding && row.stored > 0)
          .map(row => ({ ...row, events: row.stored }))
        const work = (usage: UsageCounters) => usage.foldEpoch(folding, bucket, stored)
        await finish(step, work)
        earlierWork.push(work)
        model.folded.set(bucket, folding)
      }
      if (step.kind === 'delete') {
        const watermarks = [...model.folded].map(([bucket, folded]) => ({ bucket, compacted: folded + 1 }))
        await finish(step, usage => usage.deleteFoldedCounts(watermarks))
      }
      if (step.kind === 'repeat' && earlierWork.length > 0) {
        await earlierWork[step.which % earlierWork.length]?.(processOf(step.process).usage)
      }
      await expectModel(processOf(i % 2).usage, model, [OWNERS[i % OWNERS.length] as string])
    }
    await expectModel(createUsageStore(state), model, OWNERS)
  })
  await fc.assert(property, propertySettings(3))
})

test('while an epoch is being folded, a project counts what was claimed or what is stored, and nothing else', async () => {
  const usage = createUsageStore(state)
  for (let writesBefore = 0; writesBefore < 12; writesBefore++) {
    await state.empty()
    const claimed = PROJECTS.map(project => ({
      ...project,
      day: DAYS[2],
      events: 10,
      times: { first: 1, last: 2 },
    }))
    await usage.addClaim({ shard: 's1', epoch: writesBefore + 1, last: '1' }, claimed)
    const stored = claimed.filter(({ bucket }) => bucket === 1).map(count => ({ ...count, events: 9 }))
    const worker = openProcess()
    await worker.attempt({ writesBefore, sent: false }, usage => usage.foldEpoch(writesBefore + 1, 1, stored))
    const totals = await usage.totals([PROJECTS[2].project_id, PROJECTS[3].project_id])
    for (const { events } of totals) expect([9, 10]).toContain(events)
    const months = await Promise.all(
      [PROJECTS[2].project_id, PROJECTS[3].project_id, 'a1'].map(owner => usage.month(owner, '2026-11')),
    )
    for (const { events } of months.slice(0, 2)) expect([9, 10]).toContain(events)
    expect([19, 20]).toContain(months[2]?.events)
  }
})
