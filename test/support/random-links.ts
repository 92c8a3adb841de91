import fc from 'fast-check'
import type { Link } from '#core/identity/links/links'
import type { Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ReportProject } from '#core/reports/run/run'
import type { StateTable } from '#core/state/state-table'
import { testProject } from './account-fixtures.ts'
import { createIdentities, type Identities } from './identity-files.ts'
import type { SentLink } from './oracle/identity.ts'
import { NOW } from './random-history.ts'

/**
 * Random identify requests over few ids, so that chains, loops and repetitions are common; and how they are
 * folded: in files of one or two shards, after crashes at any call of the state or of the lake, some files
 * twice, with reads in between.
 */

export const LINKED_IDS = ['u1', 'u2', 'u3', 'anon_1', 'anon_2', "o'brien", '\u{1F600}', '__proto__']

export const randomLinks = withSteps(
  fc
    .array(
      fc.record({
        project_id: fc.constantFrom('proj_a', 'proj_a', 'proj_b'),
        previous_id: fc.constantFrom(...LINKED_IDS),
        user_id: fc.constantFrom(...LINKED_IDS),
      }),
      { minLength: 1, maxLength: 14 },
    )
    .map(links => links.filter(({ previous_id, user_id }) => previous_id !== user_id)),
)

/** The ids of a chain, which is longer than what a look-up shortens at once. */
export const CHAINED_IDS = Array.from({ length: 101 }, (_, i) => `${i % 3 === 0 ? 'anon_' : 'device_'}${i}`)

/** A person who gets one id after the other, in the order of the ids, against it, or in any. */
export const chainedLinks = withSteps(
  fc
    .constantFrom<'forwards' | 'backwards' | 'shuffled'>('forwards', 'forwards', 'backwards', 'shuffled')
    .chain(order => {
      const chain = CHAINED_IDS.slice(1).map((user_id, i) => {
        return { project_id: 'proj_a', previous_id: CHAINED_IDS[i] as string, user_id }
      })
      if (order === 'shuffled') return fc.shuffledSubarray(chain, { minLength: chain.length })
      return fc.constant(order === 'forwards' ? chain : chain.toReversed())
    }),
)

function withSteps(links: fc.Arbitrary<SentLink[]>) {
  return links.chain(given =>
    fc.record({
      links: fc.constant(given),
      steps: fc.array(
        fc.record({
          size: fc.integer({ min: 1, max: 6 }),
          isRepeated: fc.boolean(),
          /** The fold ends at this call of a port, before or after its effect; null: it does not. */
          crashAt: fc.option(fc.integer({ min: 0, max: 60 }), { nil: null }),
          isRead: fc.boolean(),
          hasTwoShards: fc.boolean(),
          closesEpoch: fc.boolean(),
        }),
        { minLength: 4, maxLength: 8 },
      ),
      /** Whether the two projects share their users, and from which step on. */
      isJoined: fc.boolean(),
      joinsAt: fc.integer({ min: 0, max: 3 }),
    }),
  )
}

export type RandomLinks = typeof randomLinks extends fc.Arbitrary<infer T> ? T : never

/** Thrown where a fold ends because its process is killed. */
class Crash extends Error {}

/** Folds the links in their random way. Returns the identities and the projects as they are then. */
export async function processLinks(
  { links, steps, isJoined, joinsAt }: RandomLinks,
  {
    state,
    lake,
    fields = [],
    ...options
  }: {
    state: StateTable
    lake: Lake
    fields?: readonly ReportProject[]
    /** The links come without a credential, and have this bound. */
    maxPublicLinkBytes?: number
  },
): Promise<Identities & { project(id: string): Project; crashes: number }> {
  const owned = ['proj_a', 'proj_b'].map(id =>
    testProject({ id, name: id, bucket: 7, ...fields.find(other => other.id === id) }),
  )
  const project = (id: string) => owned.find(each => each.id === id) as Project
  const setUp = { owned, clock: { now: () => NOW }, ...options }
  const hasCredential = options.maxPublicLinkBytes === undefined
  const identities = createIdentities({ ...setUp, state, lake })
  let crashes = 0

  async function crashAfter(calls: number): Promise<void> {
    let left = calls
    const interrupted = <Port extends object>(port: Port): Port =>
      new Proxy(port, {
        get(target, method) {
          const call = Reflect.get(target, method)
          if (typeof call !== 'function') return call
          return async (...values: unknown[]) => {
            if (left-- <= 0) throw new Crash()
            const result = await call.apply(target, values)
            if (left-- <= 0) throw new Crash()
            return result
          }
        },
      })
    const killed = createIdentities({
      ...setUp,
      state: { ...state, client: interrupted(state.client) },
      lake: interrupted(lake),
    })
    killed.lakeState.epoch = identities.lakeState.epoch
    await killed.fold.run().catch(error => {
      if (!(error instanceof Crash) && !(error.cause instanceof Crash)) throw error
      crashes++
    })
  }

  const waiting = links.map((link, i) => toRequest(link, i))
  for (let step = 0; waiting.length > 0 || step <= joinsAt; step++) {
    const { size, isRepeated, crashAt, isRead, hasTwoShards, closesEpoch } = steps[
      step % steps.length
    ] as RandomLinks['steps'][number]
    if (isJoined && step === joinsAt) {
      for (const each of owned) Object.assign(each, { portfolio_id: 'pf_1', link_domains: ['other.example'] })
    }
    const batch = waiting.splice(0, size)
    for (const [id, ofProject] of Map.groupBy(batch, ({ project_id }) => project_id)) {
      const requests = ofProject.map(({ link }) => ({ ...link, hasCredential }))
      await identities.write(id, requests, hasTwoShards && id === 'proj_b' ? 's1' : 's0')
      if (isRepeated) await identities.write(id, requests.toReversed())
    }
    if (crashAt !== null) await crashAfter(crashAt)
    await identities.fold.run()
    if (closesEpoch) identities.lakeState.epoch++
    if (isRead) await identities.identity.openLinks(await identities.identity.scopeOf(project('proj_a')))
  }
  // A joined scope that was wanted by a read is made in the next runs.
  for (const id of ['proj_a', 'proj_b']) await identities.identity.scopeOf(project(id))
  for (let run = 0; run < 3; run++) await identities.fold.run()
  return { ...identities, project, crashes }
}

function toRequest(link: SentLink, i: number): { project_id: string; link: Link } {
  const { project_id, previous_id, user_id } = link
  return { project_id, link: { previous_id, user_id, at: NOW - 3_600_000 + Math.floor(i / 2), seq: i } }
}
