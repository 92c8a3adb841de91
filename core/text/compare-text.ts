/** Sorts texts by their UTF-16 code units, whatever the language of the machine is. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
