import type { SiteFindings } from '#core/scans/read/findings'
import type { Evidence, SiteClass, Understanding } from '#schemas/website-scans'
import type { Candidate } from './candidates.ts'
import { elementWords } from './element-words.ts'
import { bareWords, pageWords } from './words-of-page.ts'

/** What a site of the class is, in a sentence. */
export const CLASS_WORDS: Record<SiteClass, string> = {
  saas: 'a software service that people sign up for',
  shop: 'a shop',
  content: 'a site that people come to read',
  marketplace: 'a marketplace with two sides',
  docs: 'a documentation',
  community: 'a community',
  local_business: 'the site of a local business',
  portfolio: 'a portfolio of one person or studio',
  app: 'a tool that works in the page',
  unknown: 'a site of a kind that its pages do not show',
}

/** Below this the class is asked about. */
const SURE = 0.5
/** Evidence of one claim. */
const MAX_EVIDENCE = 3

/** A heading before a price is a plan here, and a product elsewhere. */
const HAS_PLANS: ReadonlySet<SiteClass> = new Set(['saas', 'app', 'content', 'unknown'])

type Claim = Understanding['claims'][number]

/** What the site is about and for whom, each claim with its evidence. */
export function claimsOf(findings: SiteFindings, candidates: readonly Candidate[]): Claim[] {
  const { name, about, audience, classification, prices, wall } = findings
  // What an error or a check says is not about the site.
  if (wall !== null && wall !== 'login') return []
  const plans = HAS_PLANS.has(classification.site_class) ? findings.plans : []
  const goals = candidates.flatMap(({ actions, template }) =>
    actions[0] === undefined ? [] : [{ action: actions[0], noun: template.noun[1] }],
  )
  const claims: (Claim | null)[] = [
    classification.evidence.length === 0 && name === null
      ? null
      : claim(`${subjectOf(findings)} is ${CLASS_WORDS[classification.site_class]}.`, [
          ...(name === null ? [] : [name]),
          ...classification.evidence,
        ]),
    about === null
      ? null
      : claim(`In its own words: ${pageWords(about.quote.replace(/[.。]$/, ''), 160)}.`, [about]),
    audience === null ? null : claim(`It is for ${pageWords(audience.quote)}.`, [audience]),
    goals.length === 0
      ? null
      : claim(
          `What visitors can do there: ${listed(goals.slice(0, 3).map(({ noun }) => noun))}.`,
          goals
            .slice(0, MAX_EVIDENCE)
            .map(({ action }) => ({ page: action.page, quote: action.words || action.selector })),
        ),
    plans.length === 0
      ? null
      : claim(
          `It has plans: ${listed(plans.slice(0, 4).map(plan => `${pageWords(plan.name, 30)}${plan.price === null ? '' : ` for ${bareWords(plan.price, 20)}`}`))}.`,
          plans.slice(0, MAX_EVIDENCE).map(({ page, name: quote }) => ({ page, quote })),
        ),
    plans.length > 0 || prices.length === 0
      ? null
      : claim(
          `It shows prices from ${Math.min(...prices.map(({ amount }) => amount))} to ${Math.max(...prices.map(({ amount }) => amount))} ${bareWords(prices[0]?.currency ?? '', 10)}.`,
          prices.slice(0, MAX_EVIDENCE).map(({ page, quote }) => ({ page, quote })),
        ),
  ]
  return claims.filter(each => each !== null)
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
  const problem = wall === null ? [] : [`${hostname} ${WALLS[wall]}.`]
  const missing = [
    ...(audience === null ? [`Its pages do not say in one phrase for whom ${hostname} is.`] : []),
    ...(classification.site_class === 'unknown' && claims.length === 0
      ? [`What kind of site ${hostname} is does not show.`]
      : []),
  ]
  const read = `This is from ${pages.length === 1 ? 'one page' : `${pages.length} pages`} of ${hostname}; the kind of site has a confidence of ${classification.confidence}.`
  return [...problem, ...claims.map(each => each.claim), ...missing, read].join(' ')
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
      question: `What counts more for ${hostname}: ${one}, or ${other}? Send the answer as focus, and the plan begins with it.`,
      answers: [...new Set(answers)],
    }
  }
  if (classification.confidence >= SURE) return null
  return {
    question: `What should a visitor of ${hostname} do before leaving? Send the answer as focus, such as "sign up", "buy" or "contact us".`,
    answers: [...new Set([...answers, ...actions.slice(0, 3).map(({ words }) => bareWords(words))])]
      .filter(Boolean)
      .slice(0, 4),
  }
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
