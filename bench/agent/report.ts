import type { Asked } from './ask-model.ts'
import type { Probed } from './probe.ts'

/** The result of the probe as lines. */
export function probeReport(results: readonly Probed[]): string[] {
  const bad = results.filter(({ problems }) => problems.length > 0)
  return [
    'question                      calls   tokens',
    ...results.map(
      ({ id, calls, tokens, problems }) =>
        `${id.padEnd(30)}${String(calls).padStart(5)}${String(tokens).padStart(9)}${problems.length > 0 ? '   FAILED' : ''}`,
    ),
    ...bad.flatMap(({ id, problems }) => problems.map(problem => `${id}: ${problem}`)),
    `${results.length - bad.length} of ${results.length} numbers are in the answers; most tokens ${Math.max(...results.map(({ tokens }) => tokens))}, together ${sum(results, 'tokens')}.`,
  ]
}

/** The score of a model as lines. */
export function modelReport(results: readonly Asked[]): string[] {
  const isTrue = results.filter(each => each.isTrue)
  const kinds = Object.entries(Object.groupBy(results, ({ kind }) => kind))
  return [
    'question                      true  calls  retries   tokens  seconds',
    ...results.map(
      ({ id, isTrue, calls, retries, tokens, seconds, problems }) =>
        `${id.padEnd(30)}${(isTrue ? 'yes' : 'NO').padStart(4)}${String(calls).padStart(7)}${String(retries).padStart(9)}${String(tokens).padStart(9)}${seconds.toFixed(1).padStart(9)}${isTrue ? '' : `   ${problems.join('; ')}`}`,
    ),
    ...kinds.map(([kind, of]) => `${kind}: ${of.filter(each => each.isTrue).length} of ${of.length}`),
    `True: ${isTrue.length} of ${results.length}. Calls ${sum(results, 'calls')}, retries ${sum(results, 'retries')}, tokens ${sum(results, 'tokens')}, seconds ${sum(results, 'seconds').toFixed(1)}.`,
  ]
}

function sum<Key extends string>(results: readonly Record<Key, number>[], key: Key): number {
  return results.reduce((total, result) => total + result[key], 0)
}
