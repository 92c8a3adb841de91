/**
 * The line that the process of a bundle writes to both of its outputs when invocation `number` has ended. The
 * result comes over another channel, and would otherwise arrive before the log lines.
 */
export function endOfOutput(number: number): string {
  return `\nend of invocation ${number}\n`
}
