/**
 * What a sentence says of the site: words of its pages in quotes, hosts and addresses, names of events, and
 * numbers. A text model moves them as a whole and writes none itself.
 */
const FACT = /"[^"]*"|(?<![\w-])[\w-]+(?:[./][\w-]+)+|(?<!\w)\w*_\w*|\d[\d.,%]*/g
const PLACE = /\{\d+\}/g

/** A sentence whose facts are the places `{1}`, `{2}` … */
export type Blank = { words: string; facts: string[] }

export function takeFacts(sentence: string): Blank {
  const facts: string[] = []
  const words = sentence.replace(FACT, fact => `{${facts.push(fact)}}`)
  return { words, facts }
}

/** Puts the facts back. The words have the places of the sentence, and no others. */
export function putFacts(words: string, facts: readonly string[]): string {
  return words.replace(PLACE, place => facts[Number(place.slice(1, -1)) - 1] ?? place)
}

/** The places of words, in an order that two sentences with the same places share. */
export function placesOf(words: string): string {
  return (words.match(PLACE) ?? []).toSorted().join()
}

/** The words without their places. */
export function withoutPlaces(words: string): string {
  return words.replace(PLACE, ' ')
}
