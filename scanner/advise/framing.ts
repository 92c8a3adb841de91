import type { Intent, SiteFindings } from '#scanner/read/findings'
import type { Evidence, SiteClass, Understanding } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { elementWords } from './element-words.ts'
import { bareWords, pageWords } from './words-of-page.ts'

/** What a site of the class is, in a sentence. */
export const CLASS_WORDS: Record<SiteClass, string> = {
  saas: 'a software service that people sign up for',
  shop: 'a shop',
  content: 'a site with texts to read',
  marketplace: 'a marketplace where visitors buy and sell',
  docs: 'the documentation of a product',
  community: 'a community whose members write to each other',
  local_business: 'the site of a local business',
  portfolio: 'the portfolio of a person or a studio',
  app: 'a tool that people use in the browser',
  public_service: 'the site of a public body',
  jobs: 'a job board',
  event: 'the site of an event',
  podcast: 'the site of a podcast',
  nonprofit: 'the site of a charity, an association or a congregation',
  app_store_page: 'the page of an app that stores distribute',
  api: 'an interface that other programs use',
  unknown: 'a site of a kind that its pages do not show',
}

/** Below this the class is asked about. */
const SURE = 0.5
/** Evidence of one claim. */
const MAX_EVIDENCE = 3
/** Fewer entries of the navigation say nothing; more are a list that nobody reads. */
const [MIN_SECTIONS, MAX_SECTIONS] = [2, 5]
/** What links of a navigation may be for and still name a part of the site. */
const SECTION_INTENTS: ReadonlySet<Intent> = new Set(['docs', 'pricing', 'view_work', 'read', 'directions'])

/** A heading before a price is a plan here, and a product elsewhere. */
const HAS_PLANS: ReadonlySet<SiteClass> = new Set(['saas', 'app', 'content', 'unknown'])

type Claim = Understanding['claims'][number]

/** What the site is about and for whom, each claim with its evidence. */
export function claimsOf(findings: SiteFindings, candidates: readonly Candidate[]): Claim[] {
  const { about, audience, wall } = findings
  // What an error or a check says is not about the site.
  if (wall !== null && wall !== 'login') return []
  const claims: (Claim | null)[] = [
    kindClaim(findings),
    about === null
      ? null
      : claim(`In its own words: ${pageWords(about.quote.replace(/[.。]$/, ''), 160)}.`, [about]),
    audience === null ? null : claim(`It is for ${pageWords(audience.quote)}.`, [audience]),
    sectionsClaim(findings),
    actsClaim(candidates),
    moneyClaim(findings),
  ]
  return claims.filter(each => each !== null)
}

function kindClaim(findings: SiteFindings): Claim | null {
  const { name, classification } = findings
  if (classification.site_class === 'unknown') {
    return name === null
      ? null
      : claim(`The pages of ${subjectOf(findings)} do not show clearly what kind of site it is.`, [name])
  }
  return claim(`${subjectOf(findings)} is ${CLASS_WORDS[classification.site_class]}.`, [
    ...(name === null ? [] : [name]),
    ...classification.evidence,
  ])
}

/** What the navigation names: the offer in the order of the site. Log-ins and carts are no part of it. */
function sectionsClaim({ navigation, actions, name }: SiteFindings): Claim | null {
  const doing = new Set(
    actions.filter(({ intent }) => !SECTION_INTENTS.has(intent)).map(({ words }) => words.toLowerCase()),
  )
  const sections = navigation.filter(
    ({ quote }) => quote !== '' && name?.quote.includes(quote) !== true && !doing.has(quote.toLowerCase()),
  )
  if (sections.length < MIN_SECTIONS) return null
  const shown = sections.slice(0, MAX_SECTIONS)
  return claim(`Its navigation has ${listed(shown.map(({ quote }) => pageWords(quote, 30)))}.`, shown)
}

function actsClaim(candidates: readonly Candidate[]): Claim | null {
  const acts = candidates.flatMap(({ actions, act }) =>
    actions[0] === undefined || act === null ? [] : [{ action: actions[0], act }],
  )
  const shown = acts.slice(0, MAX_EVIDENCE)
  if (shown.length === 0) return null
  return claim(
    `Visitors can ${listed(shown.map(({ act, action }) => (action.words === '' ? act : `${act} (${pageWords(action.words, 40)})`)))}.`,
    shown.map(({ action }) => ({ page: action.page, quote: action.words || action.selector })),
  )
}

function moneyClaim({ classification, plans, prices }: SiteFindings): Claim | null {
  if (plans.length > 1 && HAS_PLANS.has(classification.site_class)) {
    return claim(
      `It has plans: ${listed(plans.slice(0, 4).map(plan => `${pageWords(plan.name, 30)}${plan.price === null ? '' : ` for ${bareWords(plan.price, 20)}`}`))}.`,
      plans.slice(0, MAX_EVIDENCE).map(({ page, name: quote }) => ({ page, quote })),
    )
  }
  const [first] = prices
  if (first === undefined) return null
  const own = prices.filter(({ currency }) => currency === first.currency)
  const amounts = own.map(({ amount }) => amount)
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)]
  return claim(
    low === high
      ? `It shows a price of ${low} ${bareWords(first.currency, 10)}.`
      : `It shows prices from ${low} to ${high} ${bareWords(first.currency, 10)}.`,
    own.slice(0, MAX_EVIDENCE).map(({ page, quote }) => ({ page, quote })),
  )
}

function claim(text: string, evidence: readonly Evidence[]): Claim {
  return {
    claim: text,
    evidence: evidence.slice(0, MAX_EVIDENCE).map(({ page, quote }) => ({
      page: bareWords(page, 120),
      quote: bareWords(quote, 160),
    })),
  }
}

const WALLS: Record<NonNullable<SiteFindings['wall']>, string> = {
  login: 'shows nothing but a log-in, so this plan is about the way in alone',
  challenge: 'answers robots with a check, so its pages could not be read',
  error: 'answered with an error, so its pages could not be read',
  empty: 'has an empty first page',
}

/** The same as one text, and how much was read for it. */
export function framingOf(findings: SiteFindings, claims: readonly Claim[]): string {
  const { hostname, wall, pages, audience, classification } = findings
  const { site_class, confidence } = classification
  const problem = wall === null ? [] : [`${hostname} ${WALLS[wall]}.`]
  const missing = [
    ...(audience === null && wall === null
      ? [`Its pages do not say in one phrase for whom ${hostname} is.`]
      : []),
    ...(site_class === 'unknown' && claims.length === 0
      ? [`What kind of site ${hostname} is does not show.`]
      : []),
  ]
  const read = `This comes from ${pages.length === 1 ? 'one page' : `${pages.length} pages`} of ${hostname}`
  const sure = site_class === 'unknown' ? '' : `; the confidence in the kind of site is ${confidence}`
  return [...problem, ...claims.map(each => each.claim), ...missing, `${read}${sure}.`].join(' ')
}

/** `"Ledgerly" (ledgerly.test)`, or the host alone. */
function subjectOf({ hostname, name }: SiteFindings): string {
  return name === null ? hostname : `${pageWords(name.quote)} (${hostname})`
}

/**
 * One question to the owner, if the advice hangs on it: what kind of site it is, or which of two goals counts
 * more.
 */
export function questionOf(
  { hostname, classification, actions }: SiteFindings,
  candidates: readonly Candidate[],
): Understanding['question'] {
  const goals = candidates.filter(candidate => candidate.actions.length > 0).slice(0, 3)
  const [first, second] = goals
  const answers = goals
    .map(({ actions: own }) => bareWords(own[0]?.words || own[0]?.intent || ''))
    .filter(Boolean)
  if (
    first !== undefined &&
    second !== undefined &&
    (second.score > 0.8 * first.score || classification.confidence < SURE)
  ) {
    const one = elementWords(first.actions[0] as NonNullable<(typeof first.actions)[0]>)
    const other = elementWords(second.actions[0] as NonNullable<(typeof second.actions)[0]>)
    return {
      question: `What is more important for ${hostname}: ${one}, or ${other}? Send the answer as \`focus\` of a new analysis, and its plan begins with that.`,
      answers: [...new Set(answers)],
    }
  }
  if (classification.confidence >= SURE) return null
  return {
    question: `What should a visitor of ${hostname} do before leaving? Send the answer as \`focus\` of a new analysis, such as "sign up", "buy" or "contact us".`,
    answers: [...new Set([...answers, ...actions.slice(0, 3).map(({ words }) => bareWords(words))])]
      .filter(Boolean)
      .slice(0, 4),
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
