import { FEWEST_PEOPLE, foldGroups } from './fold-groups.ts'

/** Of how many people a row is in some respect; undefined if it has nothing there. */
export type Measure<T> = (row: T) => number | undefined

/**
 * Returns the rows to hide. In each line, and by each measure, the hidden rows together have no people or at
 * least FEWEST_PEOPLE. A line is a list of rows whose sum the reader may know: all rows, those of a date,
 * those of a value. `rest`: as in foldGroups, for each line.
 */
export function foldLines<T>(
  lines: readonly (readonly T[])[],
  measures: readonly Measure<T>[],
  rest: number,
): Set<T> {
  const folded = new Set<T>()
  let before = -1
  // What one line folds may be too little in another one.
  while (folded.size > before) {
    before = folded.size
    for (const line of lines) {
      for (const measure of measures) {
        const present = line.filter(row => measure(row) !== undefined)
        const sizeOf = (row: T) => measure(row) ?? 0
        const hidden = present.filter(row => folded.has(row))
        const open = present.filter(row => !folded.has(row))
        const isEnough = hidden.some(row => sizeOf(row) >= FEWEST_PEOPLE)
        const more = isEnough
          ? open.filter(row => sizeOf(row) < FEWEST_PEOPLE)
          : foldGroups(open, sizeOf, { rest: rest + hidden.length }).folded
        for (const row of more) folded.add(row)
      }
    }
  }
  return folded
}
