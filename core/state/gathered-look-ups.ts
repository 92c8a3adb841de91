/**
 * Gathers look-ups of the same moment into one request: a process that has just started, or a thousand
 * projects that send after a pause, need many values at once. `lookUpAll` returns the values in the order of
 * the texts. Its failure rejects all of them.
 */
export function gatherLookUps<T>(
  lookUpAll: (texts: readonly string[]) => Promise<(T | null)[]>,
): (text: string) => Promise<T | null> {
  let waiting: { text: string; result: PromiseWithResolvers<T | null> }[] = []

  async function lookUpWaiting(): Promise<void> {
    const lookUps = waiting
    waiting = []
    try {
      const values = await lookUpAll(lookUps.map(({ text }) => text))
      for (const [i, { result }] of lookUps.entries()) result.resolve(values[i] ?? null)
    } catch (error) {
      for (const { result } of lookUps) result.reject(error)
    }
  }

  return text => {
    // The requests that are ready are read from their sockets before the next turn.
    if (waiting.length === 0) setImmediate(lookUpWaiting)
    const result = Promise.withResolvers<T | null>()
    waiting.push({ text, result })
    return result.promise
  }
}
