import type { Condition } from '#schemas/conditions'
import { formatted, numberOf } from './format.ts'
import { eventLabel, pathLabel } from './texts.ts'
import { type Address, ownValue } from './url.ts'

/**
 * What visitors should do, as the lists of a view are asked about it: the own value `goal`. It is the name of
 * an event, or a page: a path that begins with `/`, or a pattern of paths with stars (`glob`,
 * docs/api/conditions.md).
 */

/** Characters of a pattern of `glob`. */
export const MAX_PATTERN_CHARS = 256

/** The goal of the address; undefined without one, and for a share link. */
export function openGoal(address: Pick<Address, 'own' | 'area'>): string | undefined {
  // POST /query tells a link no rate, because one may be about one person.
  return address.area === 'share' ? undefined : ownValue(address, 'goal')
}

/** Whether a goal is a page. Names of events do not begin with a slash. */
export function isPage(goal: string): boolean {
  return goal.startsWith('/')
}

/** What an event must be to reach the goal, as filters of POST /query. */
function goalFilters(goal: string) {
  const event = (value: string) => ({ field: 'event', op: 'eq', value }) as const
  if (!isPage(goal)) return [event(goal)]
  const path = { field: 'properties.path', op: goal.includes('*') ? 'glob' : 'eq', value: goal } as const
  return [event('page_view'), path]
}

function conditionOfGoal(goal: string): Condition {
  const [first, ...others] = goalFilters(goal)
  return others.length === 0 ? (first as Condition) : { and: [first as Condition, ...others] }
}

/**
 * The metric of POST /query: how many visitors of a row did the goal at any time of the dates (U150).
 */
export function goalVisitors(goal: string): string {
  return `people(${JSON.stringify({ person: conditionOfGoal(goal) })})`
}

/** The same of the sessions of a row. */
export function goalSessions(goal: string): string {
  return `sessions(${JSON.stringify({ session: conditionOfGoal(goal) })})`
}

/** How many visitors of a read did the goal, in what its filters leave. */
export function goalReached(goal: string): string {
  return `people(${JSON.stringify(conditionOfGoal(goal))})`
}

/** Who did a goal, of all in a row: their number and their part; null where it is not known. */
export type Conversion = { did: number | null; rate: number | null }

/** The heads of the two columns that a list has for a goal. */
export function conversionColumns(title: string): string[] {
  return [title, 'Rate']
}

export function conversionOf(did: unknown, all: unknown): Conversion {
  const [some, every] = [numberOf(did), numberOf(all)]
  return { did: some, rate: some === null || !every ? null : some / every }
}

/** The two cells of a conversion in a list. */
export function conversionCells({ did, rate }: Conversion) {
  return [
    { value: did, as: 'count' },
    { value: rate, as: 'rate' },
  ] as const
}

/** The same as a short text beside a number. */
export function conversionNote({ did, rate }: Conversion): string {
  return did === null ? '–' : `${formatted(did)} (${formatted(rate, 'rate')})`
}

/** The goal as a thing: `signup`, `/thanks`. */
export function goalLabel(goal: string): string {
  return isPage(goal) ? pathLabel(goal) : eventLabel(goal)
}

/** The head of a column with the part that did it. */
export function goalTitle(goal: string): string {
  return `${isPage(goal) ? 'Saw' : 'Did'} ${goalLabel(goal)}`
}

/** What a visitor did who reached it, within a sentence. */
export function goalWords(goal: string): string {
  return `${isPage(goal) ? 'saw' : 'did'} ${goalLabel(goal)}`
}
