import type { Ledger } from '../ledger.ts'
import type { World } from '../world.ts'

/** Something that must hold on the deployed service. */
export type Check = {
  name: string
  /**
   * Does what is to be looked at, while nobody else does anything, and gives what looks at it: that may take the
   * stream's window, and runs beside others. What that returns says more.
   */
  act(world: World): Promise<() => Promise<string>>
}

/** Acts one after the other; looks at all of it at once. */
export async function runChecks(checks: readonly Check[], world: World, ledger: Ledger): Promise<void> {
  const looking: Promise<unknown>[] = []
  for (const { name, act } of checks) {
    let acted: Promise<() => Promise<string>> | null = null
    const acting = new Promise<void>(resolve => {
      looking.push(
        ledger.check(name, async () => {
          acted = act(world)
          acted.then(
            () => resolve(),
            () => resolve(),
          )
          return (await acted)()
        }),
      )
    })
    await acting
  }
  await Promise.all(looking)
}

/** Throws with what is different. */
export function expectEqual(found: unknown, wanted: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 1_500)} instead of ${b?.slice(0, 1_500)}`)
}
