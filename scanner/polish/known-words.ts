import { ACTION_EVENTS } from '#scanner/advise/action-events'
import { OUTCOME_EVENTS } from '#scanner/advise/outcome-events'
import { withoutPlaces } from './facts.ts'

/** Words that join and shade a sentence, beside those of the advice. None of them asks for anything. */
const PLAIN_WORDS = `
able across actual actually after also any anywhere at because before below between both clear clearer clearly during
earlier easier easily easy either else enough especially even exact exactly except fewer first fully further given gives giving
help helpful helps hence here hidden however important instead itself just later least less lets likely little low main mainly
many matter matters maybe meaning means merely might mostly much must near nearly never new no nor off okay only onto otherwise our
over overall own per perhaps plain plainly precisely rather real reliable reliably remain remains reveal reveals right same seem
seems several should showing side similar simple simply since small so some soon still such sure taking telling therefore though
through thus today together too toward towards turn under unless unlike until upon usually very via view well whatever whenever wherever
whichever while whole whose why without
`

/** The words that a polished sentence may have: those of all our advice, and plain ones. */
const KNOWN: ReadonlySet<string> = new Set(
  [
    PLAIN_WORDS,
    ...[...ACTION_EVENTS, ...OUTCOME_EVENTS].flatMap(({ why, blindspot, capability, noun }) => [
      why.replace(/\{\w+\}/g, ' '),
      blindspot.replace(/\{\w+\}/g, ' '),
      capability.replace(/\{\w+\}/g, ' '),
      ...noun,
    ]),
  ].flatMap(stemsOf),
)

/** Whether the advice itself has the word in some form. */
export function isKnownWord(stem: string): boolean {
  return KNOWN.has(stem)
}

/** The words of a sentence without their endings: `visits`, `visited` and `visiting` are one. */
export function stemsOf(sentence: string): string[] {
  return (
    withoutPlaces(sentence)
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  ).map(stemOf)
}

function stemOf(word: string): string {
  const stem = word.replace(/(?:ies|ing|ed|es|ly|s|e|y)$/, '')
  return stem.length < 3 ? word : stem
}
