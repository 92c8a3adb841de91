import fc from 'fast-check'
import { createIdentityStore, type IdentityStore } from '#core/identity/identity-store'
import type { Link } from '#core/identity/links'
import type { Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { ReportProject } from '#core/reports/run'
import type { StateTable } from '#core/state-table'
import { testProject } from './account-fixtures.ts'
import type { SentLink } from './oracle/identity.ts'
import { NOW } from './random-history.ts'

/**
 * Random identify requests over few ids, so that chains, loops and repetitions are common; and how they are processed: in any order,
 * in batches, some of them twice, after failures, with reads in between.
 */

export const LINKED_IDS = ['u1', 'u2', 'u3', 'anon_1', 'anon_2', "o'brien", '\u{1F600}', '__proto__']

export const randomLinks = fc
  .array(
    fc.record({
      project_id: fc.constantFrom('proj_a', 'proj_a', 'proj_b'),
      previous_id: fc.constantFrom(...LINKED_IDS),
      user_id: fc.constantFrom(...LINKED_IDS),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map(links => links.filter(({ previous_id, user_id }) => previous_id !== user_id))
  .chain(links =>
    fc.record({
      links: fc.constant(links),
      order: fc.shuffledSubarray(
        links.map((_, i) => i),
        { minLength: links.length },
      ),
      steps: fc.array(
        fc.record({
          size: fc.integer({ min: 1, max: 4 }),
          isRepeated: fc.boolean(),
          fails: fc.boolean(),
          isRead: fc.boolean(),
        }),
        { minLength: 4, maxLength: 8 },
      ),
      /** Whether the two projects share their users. */
      isJoined: fc.boolean(),
    }),
  )

export type RandomLinks = typeof randomLinks extends fc.Arbitrary<infer T> ? T : never

/** Processes the links in their random way. Returns the identities and the projects as they are then. */
export async function processLinks(
  { links, order, steps, isJoined }: RandomLinks,
  { state, lake, fields = [] }: { state: StateTable; lake: Lake; fields?: readonly ReportProject[] },
): Promise<{ identity: IdentityStore; project(id: string): Project }> {
  const projects = ['proj_a', 'proj_b'].map(id =>
    testProject({
      id,
      name: id,
      bucket: 7,
      ...fields.find(other => other.id === id),
      ...(isJoined && { portfolio_id: 'pf_1', link_domains: ['other.example'] }),
    }),
  )
  const project = (id: string) => projects.find(each => each.id === id) as (typeof projects)[number]
  let failsNext = false
  const identity = createIdentityStore({
    ...{ client: state.client, table: state.table },
    lake: {
      ...lake,
      async put(key, bytes) {
        await lake.put(key, bytes)
        // The object is there, but its writer does not learn it.
        if (failsNext) throw new Error('The answer is lost.')
      },
    },
    projects: {
      byId: async id => project(id),
      list: async () => projects,
      async noteLinks(id) {
        project(id).has_links = true
      },
    },
    clock: { now: () => NOW },
  })
  const waiting = order.map(i => toLink(links, i))
  for (let step = 0; waiting.length > 0; step++) {
    const { size, isRepeated, fails, isRead } = steps[step % steps.length] as RandomLinks['steps'][number]
    const batch = waiting.splice(0, size)
    for (const [id, ofProject] of Map.groupBy(batch, ({ project_id }) => project_id)) {
      const added = ofProject.map(({ link }) => link)
      failsNext = fails
      if (fails) await identity.add(id, added, []).catch(() => {})
      failsNext = false
      await identity.add(id, added, [])
      if (isRepeated) await identity.add(id, added.toReversed(), [])
      if (isRead) await identity.openLinks(await identity.scopeOf(project(id)))
    }
  }
  return { identity, project }
}

function toLink(links: readonly SentLink[], i: number): { project_id: string; link: Link } {
  const { project_id, previous_id, user_id } = links[i] as SentLink
  return { project_id, link: { previous_id, user_id, at: NOW - 3_600_000 + Math.floor(i / 2), seq: i } }
}
