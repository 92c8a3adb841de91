/** Words of a text that are compared; longer texts are no labels. */
const MAX_WORDS = 400

/** Letters that Unicode does not split into a letter and its accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
}

/** The words of a text without case and accents, so that `Réserver` and `RESERVER` are one word. */
export function wordsOf(text: string): string[] {
  const plain = plainLetters(text.slice(0, 8 * MAX_WORDS))
  return plain.match(/[\p{L}\p{N}]+/gu)?.slice(0, MAX_WORDS) ?? []
}

/** The same letters without case and accents. */
export function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[ßłøıæœđ]/g, letter => LETTERS[letter] ?? letter)
}

/** The phrases of a table of words: `a b|c`. */
export function phrasesOf(table: string): string[] {
  return table.split('|').filter(phrase => phrase !== '')
}
