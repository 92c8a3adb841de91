import { isPage } from '#dashboard/goal'
import { type Address, FILTER_OPS, type FilterOp, ownValue, withOwn } from '#dashboard/url'
import { keyOf, splitField } from '#schemas/property-names'

/** The steps of a funnel in the address: `step` names the events, and `where` has the conditions of each. */

/** What conditions of steps have: those of filters, and `glob` for pages (docs/api/conditions.md). */
const STEP_OPS = [...FILTER_OPS, 'glob'] as const
type StepOp = FilterOp | 'glob'

/**
 * `property` as POST /funnel names it: `country`, a property key, or `properties.country` for that of this
 * name.
 */
export type StepFilter = { property: string; op: StepOp; value: string }
export type Step = { event: string; filters: readonly StepFilter[] }

/** As POST /funnel takes them. */
export const MAX_STEPS = 8
/** Conditions of one step: with 8 steps they fit the values that an address may have. */
export const MAX_STEP_FILTERS = 5
const MAX_EVENT_CHARS = 256

/** Hours from the first step to the last that a reader can choose; an address may have others. */
export const WINDOWS = [1, 24, 72, 168, 336, 720, 2_160, 8_760] as const
export const DEFAULT_WINDOW = 168

/** The steps of an address. A condition of a step that does not exist is left out. */
export function stepsOf({ own }: Pick<Address, 'own'>): Step[] {
  const events = (Object.hasOwn(own, 'step') ? (own.step ?? []) : [])
    .filter(event => event !== '' && event.length <= MAX_EVENT_CHARS)
    .slice(0, MAX_STEPS)
  const filters = (Object.hasOwn(own, 'where') ? (own.where ?? []) : []).flatMap(readFilter)
  return events.map((event, i) => ({
    event,
    filters: filters
      .filter(({ step }) => step === i + 1)
      .map(({ filter }) => filter)
      .slice(0, MAX_STEP_FILTERS),
  }))
}

/** Reads `2:path:eq:/pricing`: the number of the step, the property, the condition and the value. */
function readFilter(text: string): { step: number; filter: StepFilter }[] {
  const [, step, condition = ''] = /^([1-8]):([\s\S]*)$/.exec(text) ?? []
  const [property = '', operation = ''] = splitField(condition) ?? []
  const [, op, value = ''] = /^(\w+):([\s\S]*)$/.exec(operation) ?? []
  const known = STEP_OPS.find(each => each === op)
  if (step === undefined || keyOf(property) === undefined || known === undefined || value.length > 500)
    return []
  return [{ step: Number(step), filter: { property, op: known, value } }]
}

/** A goal of the project as a step. */
export function goalStep(goal: string): Step {
  return isPage(goal) ? pageStep(goal) : { event: goal, filters: [] }
}

/** A view of a page as a step. A path with a star is a pattern of paths. */
export function pageStep(path: string): Step {
  const filter = { property: 'path', op: path.includes('*') ? 'glob' : 'eq', value: path } as const
  return { event: 'page_view', filters: [filter] }
}

/** The same address with other steps. The list of people belongs to the old ones, so it closes. */
export function withSteps<A extends Address>(address: A, steps: readonly Step[]): A {
  return withOwn(address, {
    step: steps.map(({ event }) => event),
    where: steps.flatMap(({ filters }, i) =>
      filters.map(({ property, op, value }) => `${i + 1}:${property}:${op}:${value}`),
    ),
    lost: [],
    reached: [],
  })
}

/** The step at `index` stands `by` places later. */
export function moved(steps: readonly Step[], index: number, by: number): Step[] {
  const [step, others] = [steps[index], steps.filter((_, i) => i !== index)]
  return step === undefined ? others : others.toSpliced(index + by, 0, step)
}

/** The conversion window, hours. */
export function windowOf(address: Pick<Address, 'own'>): number {
  const hours = Number(ownValue(address, 'window'))
  return hours >= 1 && hours <= 8_760 ? hours : DEFAULT_WINDOW
}

/** A share link counts people alone. */
export function countByOf(address: Pick<Address, 'own' | 'area'>): 'user_id' | 'session_id' {
  if (address.area === 'share') return 'user_id'
  return ownValue(address, 'by') === 'session_id' ? 'session_id' : 'user_id'
}

/** Whose people are listed: those who passed a step, or those of them who were lost after it. */
export type PeopleOf = { step: number; isLost: boolean }

export function peopleOf(address: Pick<Address, 'own'>, steps: number): PeopleOf | null {
  const [lost, reached] = [Number(ownValue(address, 'lost')), Number(ownValue(address, 'reached'))]
  if (Number.isInteger(lost) && lost >= 1 && lost < steps) return { step: lost, isLost: true }
  if (Number.isInteger(reached) && reached >= 1 && reached <= steps) return { step: reached, isLost: false }
  return null
}

type EventRow = { event: string; unique_users: number }

/** Names that most sites give to what they want. */
const GOAL = /(purchase|order|checkout|subscri|sign_?up|regist|trial|lead|paid|booking)/i
const FIRST_STEPS = 3

/**
 * A funnel to begin with: the goals of the project, events and pages, or the most common event followed by
 * what sounds like a goal, by falling users. Empty when the project has fewer than two events.
 */
export function firstFunnel(events: readonly EventRow[], activation: readonly string[] = []): string[] {
  if (activation.length >= 2) return activation.slice(0, MAX_STEPS)
  const sent = events
    .filter(({ event }) => !event.startsWith('$') && !event.startsWith('experiment_'))
    .toSorted((a, b) => b.unique_users - a.unique_users)
  const first = sent.find(({ event }) => event === 'page_view') ?? sent[0]
  const others = sent.filter(each => each !== first)
  const goals = others.filter(({ event }) => GOAL.test(event))
  const chosen = (goals.length > 0 ? goals : others).slice(0, FIRST_STEPS - 1)
  return first === undefined || chosen.length === 0 ? [] : [first, ...chosen].map(({ event }) => event)
}
