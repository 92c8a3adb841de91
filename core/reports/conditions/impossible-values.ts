import { quoted } from '#core/text/clean-text'
import { CHANNELS } from '#schemas/channels'
import type { Condition, Leaf } from '#schemas/conditions'
import { leavesIn } from './check-leaves.ts'

/** Fields whose values are known without a read: what a value is, and what to send instead of another. */
const FIELDS: Record<string, { has: (value: string) => boolean; instead: string }> = {
  channel: {
    has: value => CHANNELS.some(each => each === value),
    instead: `The channels are ${CHANNELS.join(', ')}.`,
  },
  country: {
    has: value => /^[A-Z0-9]{2}$/.test(value),
    instead: 'Countries are two capital letters, such as `DE`.',
  },
}
/** Operators whose value is a whole one. */
const WHOLE: readonly string[] = ['eq', 'neq', 'in', 'not_in'] satisfies Leaf['op'][]

/** A text for each field of a condition that is compared with a value that it never has (U155). */
export function impossibleValues(condition: Condition): string[] {
  const leaves = leavesIn(condition, 'where').map(({ leaf }) => leaf)
  return Object.entries(FIELDS).flatMap(([name, { has, instead }]) => {
    const values = leaves
      .filter(({ field, op }) => field === name && WHOLE.includes(op))
      .flatMap(({ value }) => value)
      .map(String)
    const impossible = values.find(value => !has(value))
    return impossible === undefined ? [] : [`Field \`${name}\` is never ${quoted(impossible)}. ${instead}`]
  })
}
