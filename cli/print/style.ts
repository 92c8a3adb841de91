/** Colours only add to words and signs: everything can be read without them. */
export type Style = Record<'bold' | 'dim' | 'accent' | 'good' | 'bad', (text: string) => string>

const codes = { bold: [1, 22], dim: [2, 22], accent: [36, 39], good: [32, 39], bad: [31, 39] } as const

/** Functions that colour a text, or return it as it is. */
export function styleOf(hasColor: boolean): Style {
  const entries = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    (text: string) => (hasColor && text !== '' ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ])
  return Object.fromEntries(entries)
}
