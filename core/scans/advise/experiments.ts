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
    keys: ['outcome', 'effort'],
    texts: ['See it with my own data', 'Set up in two minutes'],
    because: 'it names what people get, not what they have to do',
  },
  buy: {
    keys: ['outcome', 'reassure'],
    texts: ['Get mine', 'Order with free returns'],
    because: 'it takes away a doubt at the moment of paying',
  },
  add_to_cart: {
    keys: ['reassure', 'short'],
    texts: ['Add to cart, return for free', 'Add'],
    because: 'a cart is easier to fill when it promises nothing',
  },
  book: {
    keys: ['time', 'effort'],
    texts: ['See free times', 'Book in one minute'],
    because: 'people look for a time before they decide to come',
  },
  contact: {
    keys: ['answer', 'start'],
    texts: ['Get an answer by tomorrow', 'Tell me about your project'],
    because: 'it says what happens after the message',
  },
  demo: {
    keys: ['length', 'own'],
    texts: ['See it in 15 minutes', 'See it with your data'],
    because: 'a demo without a length sounds like an hour',
  },
  subscribe: {
    keys: ['content', 'rhythm'],
    texts: ['Send me the next one', 'One letter a month'],
    because: 'readers fear too many letters more than bad ones',
  },
  download: {
    keys: ['size', 'free'],
    texts: ['Get it for this device', 'Install for free'],
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
    keys: ['speed', 'free'],
    texts: ['Get a price by tomorrow', 'Free estimate'],
    because: 'it says how soon and at what cost',
  },
  donate: {
    keys: ['amount', 'effect'],
    texts: ['Give 5', 'Pay for one day'],
    because: 'a small and concrete sum is easier than a general appeal',
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
    const name = `${recommendation.event}_words`.slice(0, 64)
    const isEnglish = (action.language ?? 'en') === 'en'
    const attributes = idea.keys.map(
      (key, i) =>
        `data-aa-variant-${key}="${isEnglish ? idea.texts[i] : `a text in ${bareWords(action.language ?? '')}`}"`,
    )
    return [
      {
        name,
        hypothesis: `Other words than ${pageWords(action.words)} on ${elementWords(action)} lead more visitors of ${findings.hostname} to ${recommendation.event}, because ${idea.because}.`,
        variants: ['control', ...idea.keys],
        success_event: successOf(recommendation.event, chosen),
        implementation_hint: `Create it by POST /experiments with this name, these variants and goal_event, then add data-aa-experiment="${name}" ${attributes.join(' ')} to ${JSON.stringify(action.selector)} of ${pageWords(action.page, 80)}. The element keeps ${pageWords(action.words)} as control.`,
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
