import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { experimentResults } from '#core/experiments/results'
import { openIdentity } from '#core/identity/identity-view'
import { userHash } from '#core/lake/erase/tombstones'
import type { LakeSnapshot } from '#core/lake/read/snapshot'
import type { Lake } from '#core/ports'
import { runReport } from '#core/reports/run/run'
import { writeBatch } from '#test/support/add-erasure'
import { propertySettings } from '#test/support/depth'
import { readableEmails } from '#test/support/no-identity'
import { oracleExperiment, oracleFirstExposure } from '#test/support/oracle/experiment'
import { oracleIdentity } from '#test/support/oracle/identity'
import { type Epochs, NOW, withCompaction } from '#test/support/random-history'
import { LINKED_IDS, processLinks, randomLinks } from '#test/support/random-links'
import { withReportLake } from '#test/support/report-lake'
import { openTestState, type TestState } from '#test/support/test-state'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

const userId = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...LINKED_IDS) },
  { weight: 1, arbitrary: fc.constantFrom(null, '') },
)

function mostly(value: unknown, others: readonly unknown[]) {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(value) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )
}

/** Exposures and goals of few users, many of them at the same millisecond. */
const item = fc.record({
  event: fc.oneof(
    { weight: 5, arbitrary: fc.constant('$experiment_exposure') },
    { weight: 3, arbitrary: fc.constantFrom('signup', "o'brien") },
    { weight: 1, arbitrary: fc.constant('page_view') },
  ),
  properties: fc.option(
    fc
      .record(
        {
          experiment: mostly('cta', ['CTA', '5', 5, null]),
          variant: fc.oneof(
            { weight: 4, arbitrary: fc.constantFrom<unknown>('control', 'blue') },
            { weight: 1, arbitrary: fc.constantFrom<unknown>('red', '7', 7, 'Blue', '', null) },
          ),
          forced: mostly(undefined, [true, true, false, 'true', 'yes', null]),
        },
        { requiredKeys: ['experiment', 'variant'] },
      )
      .map(
        ({ forced, ...properties }): Record<string, unknown> => ({
          ...properties,
          ...(forced !== undefined && { forced }),
        }),
      ),
    { nil: null, freq: 10 },
  ),
  user_id: userId,
  session_id: fc.constantFrom('s1', 's2', null),
  event_id: fc.option(fc.constantFrom('e1', 'e2', 'e3'), { nil: null, freq: 2 }),
  lag: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, 0, 1_000, -HOUR / 12, HOUR) },
    { weight: 1, arbitrary: fc.constantFrom(DAY, 7 * DAY, 29 * DAY) },
  ),
})

const epochs: fc.Arbitrary<Epochs> = fc.array(
  fc.record({
    gap: fc.constantFrom(0, 0, 2, 9),
    requests: fc.array(
      fc.record({
        project: fc.constantFrom('proj_a', 'proj_a', 'proj_a', 'proj_b'),
        country: fc.constant(null),
        file: fc.nat(2),
        pause: fc.constantFrom(0, 1, 1_000, HOUR / 2, HOUR),
        items: fc.array(item, { minLength: 6, maxLength: 12 }),
      }),
      { minLength: 2, maxLength: 6 },
    ),
  }),
  { minLength: 2, maxLength: 4 },
)

const isoAgo = (ms: number) => new Date(NOW - ms).toISOString()

const experiment = fc.record({
  name: fc.constantFrom('cta', 'cta', 'cta', '5'),
  variants: fc.constantFrom(
    [{ key: 'control' }, { key: 'blue' }],
    [{ key: 'blue' }, { key: 'red' }, { key: '7' }, { key: 'control' }],
  ),
  goal_event: fc.constantFrom('signup', 'signup', "o'brien", '$experiment_exposure', 'never_sent'),
  created_at: fc.constantFrom(HOUR, DAY, 20 * DAY, 400 * DAY).map(isoAgo),
  completed_at: fc.constantFrom(null, null, isoAgo(0), isoAgo(HOUR), isoAgo(2 * DAY)),
})

const erasure = fc.record({
  user: fc.constantFrom(...LINKED_IDS),
  until: fc.constantFrom(0, NOW - 3_600_000, NOW),
})

/** Returns the same lake after a request to erase a user. All files still have the user's events. */
async function withErasure(
  files: Pick<Lake, 'put'>,
  lake: LakeSnapshot,
  { user, until }: { user: string; until: number },
): Promise<LakeSnapshot> {
  const erased = { users: [userHash(user)], until, bucket: 7 }
  const tombstones = [
    await writeBatch(files, { ...erased, project_id: 'proj_a', number: 1_000 }),
    await writeBatch(files, { ...erased, project_id: 'proj_b', number: 1_001 }),
  ]
  return {
    ...lake,
    ofBucket: async bucket => ({ ...(await lake.ofBucket(bucket)), tombstones }),
  }
}

test('the results of an experiment equal the oracle, in any state of the lake, of the links and of an erasure', async () => {
  let conversions = 0
  let changedUsers = 0
  await fc.assert(
    fc.asyncProperty(
      withCompaction(epochs),
      randomLinks,
      erasure,
      fc.array(experiment, { minLength: 5, maxLength: 6 }),
      fc.constantFrom(undefined, undefined, NOW - 5 * DAY),
      async (given, links, erased, experiments, keptSince) => {
        await state.empty()
        await withReportLake(given, async ({ services, projects, events: sent, lake }) => {
          const { identity, project: scopedProject } = await processLinks(links, {
            ...{ state, lake },
            fields: projects,
          })
          const left = sent.filter(event => event.user_id !== erased.user || event.received_at > erased.until)
          const oracle = oracleIdentity(links.links, id => (links.isJoined ? 'joined' : id))
          const stored = oracle.rewrite(left)
          changedUsers += stored.filter((event, i) => event.user_id !== left[i]?.user_id).length
          const openLake = async () => withErasure(lake, await services.openLake(), erased)
          for (const project of projects) {
            const view = await openIdentity(
              { identity, emails: readableEmails, engine: services.engine },
              scopedProject(project.id),
            )
            for (const asked of experiments) {
              const variants = asked.variants.map(({ key }) => ({ key, weight: 0 }))
              const plan = { status: 'active', smallest_effect: 0.2, planned_size: null } as const
              const { results } = await runReport(
                experimentResults,
                { ...services, openLake },
                {
                  ...{ project, identity: view, keptSince },
                  query: { experiment: { ...asked, ...plan, variants } },
                },
              )
              const scope = { project: project.id, now: NOW, keptSince }
              const expected = oracleExperiment(stored, scope, asked)
              expect(results.variants).toMatchObject(expected)
              expect(results.plan.first_exposure_at).toBe(oracleFirstExposure(stored, scope, asked))
              conversions += expected.reduce((sum, variant) => sum + variant.conversions, 0)
            }
          }
        })
      },
    ),
    { ...propertySettings(1, { countPerDepth: 3 }), endOnFailure: false },
  )
  // Users must convert and be linked, or the test proves nothing.
  expect(conversions).toBeGreaterThan(0)
  expect(changedUsers).toBeGreaterThan(0)
}, 1_800_000)
