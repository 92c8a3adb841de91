import fc from 'fast-check'
import { encodeTraits, type TraitsRow } from '#core/identity/traits/traits-rows'
import { traitsKey } from '#core/lake/model/keys'
import type { Lake } from '#core/ports'
import type { TraitsOf } from './oracle/traits.ts'
import { NOW, unusualTexts } from './random-history.ts'

/** Keys that conditions ask for, and values that operators tell apart. */
const traits = fc.dictionary(
  fc.constantFrom('plan', 'a.b', '', "o'brien", '__proto__', '*'),
  fc.constantFrom<unknown>('x', 'pro', '', '5', 5, -0.5, true, null, [], { a: 'x' }, "o'brien"),
  { maxKeys: 3 },
)

type SentTraits = TraitsRow & { project_id: string }

/** What the files of two projects have of the users of random histories. Each row has its own arrival. */
export const randomTraits: fc.Arbitrary<SentTraits[]> = fc
  .uniqueArray(
    fc.record({
      project_id: fc.constantFrom('proj_a', 'proj_b'),
      user_id: fc.constantFrom('u1', 'u1', 'u2', 'u2', 'u3', ...unusualTexts),
      hasCredential: fc.boolean(),
      traits: traits.map(each => JSON.stringify(each)),
    }),
    { maxLength: 16, selector: ({ traits: _, ...user }) => JSON.stringify(user) },
  )
  .map(rows => rows.map((row, i) => ({ ...row, at: NOW - 9_000 + Math.floor(i / 2), seq: i })))

/** Writes traits files. Returns how a read opens them. */
export async function writeTraits(lake: Pick<Lake, 'put'>, sent: readonly SentTraits[]) {
  const files = new Map<string, string[]>()
  for (const [id, rows] of Map.groupBy(sent, row => row.project_id)) {
    // Two files, as of many people.
    const parts = [rows.slice(0, 2), rows.slice(2)].filter(part => part.length > 0)
    const keys = parts.map((_, part) => traitsKey({ id, bucket: 7 }, { writer: '0a', part }))
    for (const [i, key] of keys.entries()) await lake.put(key, encodeTraits(id, parts[i] ?? []))
    files.set(id, keys)
  }
  return async ({ id }: { id: string }) => ({ files: files.get(id) ?? [] })
}

/** What the oracle knows of the users of a project. `finalId`: whom the ids in the files stand for. */
export function knownTraits(
  sent: readonly SentTraits[],
  projectId: string,
  finalId: (id: string) => string = id => id,
): TraitsOf {
  const newest = (rows: readonly SentTraits[]) => {
    const row = rows.toSorted((a, b) => a.at - b.at || a.seq - b.seq).at(-1)
    return row === undefined ? {} : JSON.parse(row.traits)
  }
  return userId => {
    const own = sent.filter(row => row.project_id === projectId && finalId(row.user_id) === userId)
    return {
      trusted: newest(own.filter(({ hasCredential }) => hasCredential)),
      open: newest(own.filter(({ hasCredential }) => !hasCredential)),
    }
  }
}
