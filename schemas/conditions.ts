import * as z from 'zod'
import { parseJson } from './json-depth.ts'
import { splitField } from './property-names.ts'

/** Conditions of reads (docs/api/conditions.md, U78, U79). */

/** Operators that compare with one value. */
export const SINGLE_OPS = [
  ...(['eq', 'neq', 'gt', 'lt', 'gte', 'lte'] as const),
  ...(['contains', 'prefix', 'suffix', 'glob'] as const),
] as const
/** What a leaf of a condition, a filter of /query and a filter of a step of /funnel may ask. */
export const CONDITION_OPS = [...SINGLE_OPS, 'in', 'not_in', 'exists'] as const
export type ConditionOp = (typeof CONDITION_OPS)[number]

/**
 * A field of an event, its session or its person that is compared. core/reports/conditions checks the value.
 */
export type Leaf = { field: string; op: ConditionOp; value?: unknown }

/**
 * What somebody did: an event of this name, so many times at least, in the range or so many days before its
 * end.
 */
export type Did<Named = never> = {
  event: string
  where?: Condition<Named> | undefined
  at_least?: number | undefined
  within?: string | undefined
}

/** `Named`: what else may stand for a condition. Nothing, where segments are resolved. */
export type Condition<Named = never> =
  | Leaf
  | { and: readonly Condition<Named>[] }
  | { or: readonly Condition<Named>[] }
  | { not: Condition<Named> }
  | { session: Condition<Named> }
  | { person: Condition<Named> }
  | { did: Did<Named> }
  | Named

/** A condition that the project has stored under a name (docs/api/segments.md). */
export type SegmentName = { segment: string }
/** A condition as a request has it. */
export type AskedCondition = Condition<SegmentName>

/** Nodes inside each other; a leaf alone has depth 1. Each `session` and `person` is one more scan. */
const MAX_DEPTH = 5
/** Leaves of a condition, `did` included. The engine needs seconds to plan a statement with more. */
export const MAX_LEAVES = 100
/** Characters of a condition in a query string or as text, so that it is parsed in no time. */
const MAX_TEXT = 16_384
const [MAX_EVENT_CHARS, MAX_TIMES, MAX_DAYS] = [256, 1_000, 3_650]

/** Names of segments, as those of projects. */
export const SEGMENT_NAME = /^[A-Za-z0-9._-]{1,64}$/

const KINDS = ['and', 'or', 'not', 'session', 'person', 'did', 'segment'] as const

/** What is wrong with a node of no known form. */
function noCondition(place: string): string {
  return `Field \`${place}\` is no condition. Use \`{field, op, value}\`, or one of \`and\`, \`or\`, \`not\`, \`session\`, \`person\`, \`did\` and \`segment\`.`
}

/** A node that is not checked yet, where it stands, and how deep. */
type Unchecked = { node: unknown; place: string; depth: number }

/**
 * What is wrong with conditions that must all hold, as a sentence; null if nothing is. It walks with a list
 * of its own, so the depth of what a stranger sends costs no stack.
 */
export function faultOf(...conditions: readonly unknown[]): string | null {
  const open: Unchecked[] = conditions.map(node => ({ node, place: 'where', depth: 1 }))
  let leaves = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, place, depth } = next
    if (depth > MAX_DEPTH)
      return `Field \`where\` has more than ${MAX_DEPTH} conditions inside each other. Send a flatter one.`
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return noCondition(place)
    const { fault, inner, isLeaf } = checkNode(node as Record<string, unknown>, place)
    if (fault !== null) return fault
    leaves += Number(isLeaf)
    if (leaves > MAX_LEAVES || open.length + inner.length > MAX_LEAVES)
      return `Field \`where\` has more than ${MAX_LEAVES} conditions. Send fewer; \`in\` takes several values.`
    open.push(...inner.map(each => ({ ...each, depth: depth + 1 })))
  }
  return null
}

type Checked = { fault: string | null; inner: { node: unknown; place: string }[]; isLeaf: boolean }

function checkNode(node: Record<string, unknown>, place: string): Checked {
  const wrong = (fault: string): Checked => ({ fault, inner: [], isLeaf: false })
  const names = Object.keys(node).filter(name => node[name] !== undefined)
  if (names.includes('field') || names.includes('op')) return checkLeaf(node, names, place)
  const kind = KINDS.find(each => each === names[0])
  if (kind === undefined || names.length !== 1) return wrong(noCondition(place))
  const value = node[kind]
  if (kind === 'did') return checkDid(value, `${place}.did`)
  if (kind === 'segment') return checkSegment(value, `${place}.segment`)
  if (kind === 'not' || kind === 'session' || kind === 'person')
    return { fault: null, inner: [{ node: value, place: `${place}.${kind}` }], isLeaf: false }
  if (!Array.isArray(value) || value.length === 0)
    return wrong(`Field \`${place}.${kind}\` must be a list of conditions, at least one.`)
  const inner = value
    .slice(0, MAX_LEAVES + 1)
    .map((each, i) => ({ node: each, place: `${place}.${kind}[${i}]` }))
  return { fault: null, inner, isLeaf: false }
}

function checkLeaf({ field, op }: Record<string, unknown>, names: readonly string[], place: string): Checked {
  const isKnown = names.every(name => ['field', 'op', 'value'].includes(name))
  const fault = !isKnown
    ? noCondition(place)
    : typeof field !== 'string' || field === ''
      ? `Field \`${place}.field\` is missing. Name a field.`
      : !CONDITION_OPS.some(each => each === op)
        ? `Field \`${place}.op\` must be one of ${CONDITION_OPS.join(', ')}.`
        : null
  return { fault, inner: [], isLeaf: true }
}

function checkSegment(segment: unknown, place: string): Checked {
  const isName = typeof segment === 'string' && SEGMENT_NAME.test(segment)
  const fault = isName
    ? null
    : `Field \`${place}\` must be the name of a segment: 1 to 64 letters, digits, \`.\`, \`_\` and \`-\`.`
  return { fault, inner: [], isLeaf: true }
}

function checkDid(did: unknown, place: string): Checked {
  const wrong = (fault: string): Checked => ({ fault, inner: [], isLeaf: true })
  if (typeof did !== 'object' || did === null || Array.isArray(did))
    return wrong(`Field \`${place}\` must be an object with an \`event\`.`)
  const { event, where, at_least = 1, within, ...others } = did as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    return wrong(`Field \`${place}\` has only \`event\`, \`where\`, \`at_least\` and \`within\`.`)
  if (typeof event !== 'string' || event === '' || event.length > MAX_EVENT_CHARS)
    return wrong(`Field \`${place}.event\` must be an event name of 1 to ${MAX_EVENT_CHARS} characters.`)
  if (!Number.isInteger(at_least) || Number(at_least) < 1 || Number(at_least) > MAX_TIMES)
    return wrong(`Field \`${place}.at_least\` must be a whole number from 1 to ${MAX_TIMES}.`)
  const days = typeof within === 'string' ? /^(\d{1,4})d$/.exec(within)?.[1] : undefined
  if (within !== undefined && !(Number(days) <= MAX_DAYS))
    return wrong(
      `Field \`${place}.within\` must be a number of days such as \`90d\`, at most \`${MAX_DAYS}d\`.`,
    )
  const inner = where === undefined ? [] : [{ node: where, place: `${place}.where` }]
  return { fault: null, inner, isLeaf: true }
}

/** The condition with others in the place of its leaves, and of the segments that it names. */
export function changeLeaves<Named>(
  condition: Condition<Named>,
  change: (leaf: Leaf | Named) => Condition,
): Condition {
  const inner = (each: Condition<Named>) => changeLeaves(each, change)
  const node = condition as Condition<never>
  if ('and' in node) return { and: node.and.map(inner) }
  if ('or' in node) return { or: node.or.map(inner) }
  if ('not' in node) return { not: inner(node.not) }
  if ('session' in node) return { session: inner(node.session) }
  if ('person' in node) return { person: inner(node.person) }
  if (!('did' in node)) return change(condition as Leaf | Named)
  const { where, ...did } = node.did
  return { did: where === undefined ? did : { ...did, where: inner(where) } }
}

/** The segments that a checked condition names. */
export function segmentsIn(condition: AskedCondition): string[] {
  if ('segment' in condition) return [condition.segment]
  return partsOf(condition).flatMap(segmentsIn)
}

function partsOf(condition: Exclude<AskedCondition, SegmentName>): readonly AskedCondition[] {
  if ('and' in condition) return condition.and
  if ('or' in condition) return condition.or
  if ('not' in condition) return [condition.not]
  if ('session' in condition) return [condition.session]
  if ('person' in condition) return [condition.person]
  return 'did' in condition && condition.did.where !== undefined ? [condition.did.where] : []
}

/** The schema of `where`: a condition, or its JSON as text, as a query string has it. */
export const where = z
  .unknown()
  .transform((given, context) => {
    const condition = typeof given === 'string' ? parseText(given) : given
    const fault = faultOf(condition)
    if (fault === null) return condition as AskedCondition
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  })
  .meta({
    override: { type: 'object' },
    description:
      'Only what passes: `{field, op, value}`, `{and|or: […]}`, `{not|session|person: …}`, `{did: {event, where?, at_least?, within?}}` or `{segment: name}`; in a query string as JSON',
  })
  .optional()

/** The value of a JSON text; null for another text, which is no condition. */
function parseText(text: string): unknown {
  if (text.length > MAX_TEXT) return null
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

const OPERATION = /^([a-z_]+)(?::([\s\S]*))?$/
const FILTER_FORM =
  'Parameter `filter` must be `field:op:value`, such as `country:eq:DE` or `properties.path:prefix:/blog`, or `segment:eq:name`.'

/** The filters of a query string, which all must hold; each line is one. Null if one has another form. */
function parseFilters(text: string): (Leaf | SegmentName)[] | null {
  const leaves = text.split('\n').map(toLeaf)
  return leaves.length <= MAX_LEAVES && leaves.every(leaf => leaf !== null) ? leaves : null
}

/** `segment` is no field: `segment:eq:name` names a segment, and has no other operator. */
function toLeaf(line: string): Leaf | SegmentName | null {
  const [field, operation = ''] = splitField(line) ?? []
  const [, op, value] = OPERATION.exec(operation) ?? []
  if (field === undefined || field === '') return null
  if (field === 'segment')
    return op === 'eq' && SEGMENT_NAME.test(value ?? '') ? { segment: value ?? '' } : null
  const known = CONDITION_OPS.find(each => each === op)
  if (known === undefined) return null
  if (known === 'exists') return { field, op: known, value: value !== 'false' }
  if (value === undefined) return null
  return { field, op: known, value: known === 'in' || known === 'not_in' ? value.split(',') : value }
}

/** The schema of `filter`: texts of the form `field:op:value`, all of which must hold. */
export const filter = z
  .unknown()
  .transform((given, context) => {
    const lines = Array.isArray(given) ? given : [given]
    const leaves = lines.every(line => typeof line === 'string') ? parseFilters(lines.join('\n')) : null
    if (leaves !== null) return leaves
    context.addIssue({ code: 'custom', message: FILTER_FORM })
    return z.NEVER
  })
  .meta({
    override: { type: 'array', items: { type: 'string' } },
    description:
      'Conditions as `field:op:value`, which all must hold: `country:eq:DE`, `segment:eq:buyers`. Repeatable',
  })
  .optional()
