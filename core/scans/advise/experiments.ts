import type { SiteFindings } from '#core/scans/read/findings'
import type { Recommendation, ScanResult } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { elementWords } from './element-words.ts'
import { bareWords, pageWords } from './words-of-page.ts'

type Test = ScanResult['suggested_ab_tests'][number]

const MAX_TESTS = 2

/** A second and a third text, by what the first one is for. Other languages get the rule instead. */
const IDEAS: Readonly<
  Record<string, { keys: readonly [string, string]; texts: readonly [string, string]; because: string }>
> = {
  sign_up: {
    keys: ['outcome', 'open'],
    texts: ['Try it with my own data', 'Start now, decide later'],
    because: 'the first names what people get, and the second takes the weight from the decision',
  },
  buy: {
    keys: ['mine', 'plain'],
    texts: ['Get mine', 'Buy now'],
    because: 'one speaks as the buyer does, and the other says plainly what happens next',
  },
  add_to_cart: {
    keys: ['open', 'short'],
    texts: ['Add it, decide later', 'Add'],
    because: 'a cart is easier to fill when that decides nothing yet',
  },
  book: {
    keys: ['time', 'day'],
    texts: ['See free times', 'Choose a day'],
    because: 'people look for a time before they decide to come',
  },
  contact: {
    keys: ['question', 'start'],
    texts: ['Ask a question', 'Tell us what you need'],
    because: 'a small first step is easier than a contact',
  },
  demo: {
    keys: ['how', 'own'],
    texts: ['Show me how it works', 'See it with my data'],
    because: 'it says what people will see instead of what the company does',
  },
  subscribe: {
    keys: ['next', 'posted'],
    texts: ['Send me the next one', 'Keep me posted'],
    because: 'readers want what comes next, and fear letters in general',
  },
  download: {
    keys: ['device', 'plain'],
    texts: ['Get it for this device', 'Install it'],
    because: 'it answers the question before the click',
  },
  create: {
    keys: ['try', 'example'],
    texts: ['Try it now', 'Start from an example'],
    because: 'an empty page stops people who only want to look',
  },
  message: {
    keys: ['question', 'offer'],
    texts: ['Ask if it is still there', 'Make an offer'],
    because: 'a first sentence is the hardest part of a message',
  },
  post: {
    keys: ['help', 'share'],
    texts: ['Ask for help', 'Tell what you found'],
    because: 'a clear occasion is easier than an empty topic',
  },
  quote: {
    keys: ['price', 'cost'],
    texts: ['Ask for a price', 'Tell me what it costs'],
    because: 'it says what the answer will be',
  },
  donate: {
    keys: ['today', 'part'],
    texts: ['Help today', 'Be a part of it'],
    because: 'a near and shared act is easier than a general appeal',
  },
}

/** Tests of the words of the most telling elements (docs/experiments.md). */
export function testsOf(
  chosen: readonly { candidate: Candidate; recommendation: Recommendation }[],
  findings: SiteFindings,
): Test[] {
  const tested = chosen.flatMap(({ candidate, recommendation }) => {
    const action = candidate.actions.find(({ words, isBareForm }) => words !== '' && !isBareForm)
    const idea = IDEAS[candidate.template.intent ?? '']
    if (action === undefined || idea === undefined) return []
    const success = successOf(recommendation.event, chosen)
    const name = `${recommendation.event}_words`.slice(0, 64)
    const isEnglish = (action.language ?? 'en') === 'en'
    const attributes = idea.keys.map(
      (key, i) =>
        `data-aa-variant-${key}="${isEnglish ? idea.texts[i] : `a text in ${bareWords(action.language ?? '')}`}"`,
    )
    return [
      {
        name,
        hypothesis: `Other words on ${elementWords(action)} bring more visitors of ${findings.hostname} to ${success}, because ${idea.because}.`,
        variants: ['control', ...idea.keys],
        success_event: success,
        implementation_hint: `Create it by POST /experiments with this name, these variants and goal_event, then add data-aa-experiment="${name}" ${attributes.join(' ')} to ${JSON.stringify(action.selector)} of ${pageWords(action.page, 80)}. The element keeps ${pageWords(action.words)} as control. Show a text only if it is true for ${findings.hostname}.`,
      },
    ]
  })
  return tested.slice(0, MAX_TESTS)
}

const LATER: Readonly<Record<string, string>> = {
  signup_started: 'signup_completed',
  trial_started: 'signup_completed',
  product_added_to_cart: 'order_completed',
  purchase_started: 'order_completed',
  booking_started: 'booking_confirmed',
  table_booking_started: 'booking_confirmed',
}

/** What a click leads to, if the plan has it: words that win clicks and lose customers are no success. */
function successOf(event: string, chosen: readonly { recommendation: Recommendation }[]): string {
  const later = LATER[event]
  return chosen.some(({ recommendation }) => recommendation.event === later) ? (later ?? event) : event
}
