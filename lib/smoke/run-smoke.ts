/** The parts of a smoke test. Each throws with what is wrong, and returns a line for the report. */
export type SmokeParts = {
  /** Throws if there is a stack of that name already: it is not ours to delete. */
  expectNoStack(): Promise<string>
  deploy(): Promise<string>
  journeys(): Promise<string>
  doctor(): Promise<string>
  destroy(): Promise<string>
  deleteKept(): Promise<string>
}

/**
 * Deploys a stack, runs the journeys and the doctor on it, and deletes it with all its data, also after a
 * failure. Prints a line for each part. Returns whether all have passed.
 */
export async function runSmoke(parts: SmokeParts, print: (line: string) => void): Promise<boolean> {
  async function pass(name: keyof SmokeParts): Promise<boolean> {
    const start = performance.now()
    const [mark, text] = await parts[name]().then(
      detail => ['passed', detail] as const,
      (error: Error) => ['FAILED', error.message] as const,
    )
    print(`${mark} ${Math.round((performance.now() - start) / 1_000)} s  ${name}: ${text}`)
    return mark === 'passed'
  }

  if (!(await pass('expectNoStack'))) return false
  const isDeployed = await pass('deploy')
  // The doctor also says why journeys fail.
  const works = isDeployed && [await pass('journeys'), await pass('doctor')].every(Boolean)
  // What is in use is not deleted.
  const isGone = (await pass('destroy')) && (await pass('deleteKept'))
  return works && isGone
}
