import type { Action, SiteFindings } from '#scanner/read/findings'
import type { Recommendation, ScanResult } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { elementWords } from './element-words.ts'
import { bareWords, pageWords } from './words-of-page.ts'

type Test = ScanResult['suggested_ab_tests'][number]

const MAX_TESTS = 2

/**
 * What a second and a third text say, by what the first one is for, and why each may work. The texts are for
 * an English element; for another language they are what its text should say.
 */
const IDEAS: Readonly<Record<string, readonly [Idea, Idea]>> = {
  signup_started: [
    { key: 'try', text: 'Try {name}', because: 'it names what people get instead of an account' },
    { key: 'look', text: 'Look around first', because: 'it asks for less than an account' },
  ],
  trial_started: [
    { key: 'try', text: 'Try {name}', because: 'it names the product instead of a trial' },
    { key: 'setup', text: 'Set up {name}', because: 'it names the next step' },
  ],
  membership_started: [
    { key: 'join', text: 'Join {name}', because: 'it names whom people join' },
    { key: 'write', text: 'Join and write', because: 'it says what only members can do' },
  ],
  purchase_started: [
    { key: 'get', text: 'Get it now', because: 'it speaks of the product and not of the payment' },
    { key: 'see', text: 'See the price', because: 'it asks for less than a purchase' },
  ],
  ticket_purchase_started: [
    { key: 'seats', text: 'See free places', because: 'people look for a place before they decide' },
    { key: 'dates', text: 'Choose a date', because: 'it asks for less than a purchase' },
  ],
  product_added_to_cart: [
    { key: 'reserve', text: 'Put it aside for me', because: 'a product in the cart can still be left there' },
    { key: 'want', text: 'I want this one', because: 'it speaks of the product and not of the shop' },
  ],
  booking_started: [
    { key: 'time', text: 'See free times', because: 'people look for a time before they decide to come' },
    { key: 'day', text: 'Choose a day', because: 'it names the next step' },
  ],
  table_booking_started: [
    { key: 'time', text: 'See free tables', because: 'people look for a time before they decide to come' },
    { key: 'people', text: 'How many are you?', because: 'a question is easier to begin with' },
  ],
  contact_started: [
    { key: 'question', text: 'Ask a question', because: 'a question is a smaller step than an enquiry' },
    { key: 'need', text: 'Tell us what you need', because: 'it says what to write' },
  ],
  demo_requested: [
    { key: 'how', text: 'See how {name} works', because: 'it says what people will see' },
    { key: 'date', text: 'Choose a time for a demo', because: 'it names the next step' },
  ],
  demo_watched: [
    { key: 'how', text: 'See how {name} works', because: 'it says what people will see' },
    { key: 'inside', text: 'Look inside {name}', because: 'it asks for less than a demo' },
  ],
  newsletter_submitted: [
    { key: 'next', text: 'Send me the next one', because: 'it says what people get' },
    { key: 'news', text: 'Tell me what is new', because: 'it speaks of the content and not of a list' },
  ],
  app_download_started: [
    { key: 'device', text: 'Get it for this device', because: 'it says that the file fits' },
    { key: 'install', text: 'Install {name}', because: 'it names the product' },
  ],
  creation_started: [
    { key: 'example', text: 'Start from an example', because: 'an empty page stops people who only look' },
    { key: 'try', text: 'Try it now', because: 'it asks for less than work of their own' },
  ],
  seller_contacted: [
    { key: 'free', text: 'Ask if it is available', because: 'it writes the first sentence for people' },
    { key: 'offer', text: 'Make an offer', because: 'it names the next step' },
  ],
  listing_started: [
    { key: 'earn', text: 'See what you can earn', because: 'it says why, before the work begins' },
    { key: 'photo', text: 'Start with a photo', because: 'it names an easy first step' },
  ],
  topic_started: [
    { key: 'ask', text: 'Ask a question', because: 'a clear occasion is easier than an empty topic' },
    { key: 'tell', text: 'Tell what you found', because: 'it invites people who have no question' },
  ],
  quote_requested: [
    { key: 'price', text: 'Ask for a price', because: 'it says what the answer will be' },
    { key: 'describe', text: 'Describe the work', because: 'it names the next step' },
  ],
  donation_started: [
    { key: 'what', text: 'See what a gift does', because: 'people want to know what they pay for' },
    { key: 'part', text: 'Support {name}', because: 'it names who gets the gift' },
  ],
}

type Idea = { key: string; text: string; because: string }

/** What a language is called in a hint. */
const LANGUAGE_NAMES = new Intl.DisplayNames(['en'], { type: 'language' })

/** Tests of the words of the most telling elements (docs/experiments.md). */
export function testsOf(
  chosen: readonly { candidate: Candidate; recommendation: Recommendation }[],
  findings: SiteFindings,
): Test[] {
  const tested = chosen.flatMap(({ candidate, recommendation: { event } }) => {
    const action = candidate.actions.find(({ words, isBareForm }) => words !== '' && !isBareForm)
    const ideas = IDEAS[event]
    if (action === undefined || ideas === undefined) return []
    const success = successOf(event, chosen)
    const name = `${event}_words`.slice(0, 64)
    return [
      {
        name,
        hypothesis: `Other words on ${elementWords(action)} bring more visitors of ${findings.hostname} to ${success}. Of the text "${ideas[0].key}": ${ideas[0].because}. Of "${ideas[1].key}": ${ideas[1].because}.`,
        variants: ['control', ...ideas.map(({ key }) => key)],
        success_event: success,
        implementation_hint: `Create it by POST /experiments with this name, these variants and goal_event ${success}. Then add data-aa-experiment="${name}" ${variantsOf(ideas, action, findings)} to ${JSON.stringify(action.selector)} on ${pageWords(action.page, 80)}. Visitors of the variant control see ${pageWords(action.words)}. Change a text that is not true for ${findings.hostname}.`,
      },
    ]
  })
  return tested.slice(0, MAX_TESTS)
}

/** The attributes with the texts. No text of ours is in another language than English. */
function variantsOf(ideas: readonly Idea[], { language }: Action, { name, hostname }: SiteFindings): string {
  const product = bareWords(name?.quote ?? hostname, 30)
  const texts = ideas.map(({ key, text }) => ({ key, text: text.replace('{name}', product) }))
  if (language === null || language === 'en') {
    return texts.map(({ key, text }) => `data-aa-variant-${key}="${text}"`).join(' ')
  }
  const wanted = texts.map(({ key, text }) => `data-aa-variant-${key} (it says "${text}")`).join(' and ')
  return `and, with texts that you write in ${LANGUAGE_NAMES.of(language)}, ${wanted}`
}

const LATER: Readonly<Record<string, string>> = {
  membership_started: 'signup_completed',
  contact_started: 'enquiry_received',
  quote_requested: 'enquiry_received',
  demo_requested: 'enquiry_received',
  newsletter_submitted: 'newsletter_confirmed',
  listing_started: 'listing_published',
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
