import type { Ledger } from '#rehearsal/ledger'
import type { World } from '#rehearsal/world'

/** One check of the deployed service. */
export type Check = {
  name: string
  /**
   * Does the action of the check, alone. Returns a function that verifies the result, which runs at the same
   * time as other verifications, because it may have to wait a minute for the consumer. The verification
   * returns details for the report.
   */
  act(world: World): Promise<() => Promise<string>>
}

/** Runs the actions of the selected checks one after another, and the verifications in parallel. */
export async function runChecks(checks: readonly Check[], world: World, ledger: Ledger): Promise<void> {
  const verifications: Promise<unknown>[] = []
  for (const { name, act } of checks.filter(({ name }) => ledger.isSelected(name))) {
    let verification: Promise<() => Promise<string>> | null = null
    const action = new Promise<void>(resolve => {
      verifications.push(
        ledger.check(name, async () => {
          verification = act(world)
          verification.then(
            () => resolve(),
            () => resolve(),
          )
          return (await verification)()
        }),
      )
    })
    await action
  }
  await Promise.all(verifications)
}

/** Throws an error with both values unless they are equal as JSON. */
export function expectEqual(actual: unknown, expected: unknown, description: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`Wrong ${description}: ${a?.slice(0, 1_500)} instead of ${b?.slice(0, 1_500)}`)
}
