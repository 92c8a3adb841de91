import type { Door } from './attack.ts'
import { ATTACKS } from './attacks.ts'
import type { Answers } from './exchange.ts'

/**
 * The process of an attacker. The bench starts it by `fork`, so that its work does not slow the neighbours
 * that measure. The first message is an order, the second one stops it. It sends what it was answered when it
 * ends.
 */
export type AttackOrder = { name: string; door: Door }
export type AttackEnd = { answers: Answers }

const stopping = new AbortController()
process.once('message', async ({ name, door }: AttackOrder) => {
  process.once('message', () => stopping.abort())
  const attack = ATTACKS.find(each => each.name === name)
  if (attack === undefined) throw new Error(`There is no attack ${name}.`)
  const answers = await attack.run(door, stopping.signal)
  process.send?.({ answers } satisfies AttackEnd, () => process.exit())
})
// A bench that has ended needs no attack.
process.once('disconnect', () => process.exit())
