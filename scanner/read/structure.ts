import type { Intent } from './findings.ts'
import type { HtmlElement } from './html-tree.ts'
import { FORM_MARKUP, MARKUP } from './platform-markup.ts'
import { ancestorOf } from './regions.ts'
import { intentOfService } from './services.ts'

/** Classes of one element that are looked at, and characters of their list. */
const [MAX_CLASSES, MAX_CLASS_CHARS] = [60, 2_000]
/** Ancestors of a vote or of a banner that are looked at. */
const MAX_ANCESTORS = 6

const INTENT_OF_SIGN = new Map(MARKUP.flatMap(({ intent, signs }) => signs.map(sign => [sign, intent])))
const INTENT_OF_FORM_SIGN = new Map(
  FORM_MARKUP.flatMap(({ intent, signs }) => signs.map(sign => [sign, intent])),
)

/** Classes, id, name and data attributes of an element, as the tables of platforms have them. */
function signsOf({ attributes }: HtmlElement): string[] {
  const data = [...attributes].filter(([name]) => name.startsWith('data-'))
  return [
    ...classesOf(attributes),
    attributes.get('id') ?? '',
    attributes.get('name') ?? '',
    ...data.map(([name, value]) => `${name}=${value.slice(0, 60)}`),
  ].map(sign => sign.toLowerCase())
}

function classesOf(attributes: ReadonlyMap<string, string>): string[] {
  return (attributes.get('class') ?? '').slice(0, MAX_CLASS_CHARS).split(/\s+/, MAX_CLASSES)
}

/** What the markup of its platform says that an element is for. */
export function intentOfMarkup(element: HtmlElement): Intent | null {
  const href = element.attributes.get('href') ?? ''
  return (
    signsOf(element)
      .map(sign => INTENT_OF_SIGN.get(sign))
      .find(intent => intent !== undefined) ??
    MARKUP.find(({ hrefs = [] }) => hrefs.some(part => href.includes(part)))?.intent ??
    null
  )
}

/** The same of a form, and of the address to which it sends its data. */
export function intentOfFormMarkup(form: HtmlElement): Intent | null {
  const action = (form.attributes.get('action') ?? '').slice(0, 300).toLowerCase()
  return (
    signsOf(form)
      .map(sign => INTENT_OF_FORM_SIGN.get(sign))
      .find(intent => intent !== undefined) ??
    FORM_MARKUP.find(({ actions }) => actions.some(part => action.includes(part)))?.intent ??
    null
  )
}

const STRONG = /^(?:.{0,30}[-_])?(?:primary|cta|hero|main-action|call-to-action)(?:[-_].{0,30})?$/i
const LARGE = /^(?:.{0,20}[-_])?(?:lg|large|xl|big)$/i
const BUTTON = /^(?:.{0,30}[-_])?(?:btn|button|knap|boton|bouton|knopf)(?:[-_].{0,30})?$/i
/** A button in the utility classes of Tailwind: a strong colour behind light letters. */
const FILLED = /^bg-(?!white|transparent|gray|slate|zinc|neutral)[a-z]+(?:-\d{2,3})?$/
const WEAK =
  /secondary|outline|ghost|(?:btn|button)-link$|close|toggle|menu|nav|burger|search-|prev|next|slick|swiper|share|social|cookie|consent|theme|lang|reject|dismiss/i

/**
 * How prominent an element is by what it looks like, 0 to 3: a primary button is what its page is for, in
 * whatever words.
 */
export function prominenceOf({ tag, attributes }: HtmlElement): number {
  const classes = classesOf(attributes)
  if (attributes.has('aria-expanded') || attributes.has('aria-controls')) return 0
  const isFilled =
    classes.some(each => FILLED.test(each)) && classes.some(each => /^(text-white|rounded|px-)/.test(each))
  const isButton =
    tag === 'button' ||
    tag === 'input' ||
    attributes.get('role') === 'button' ||
    classes.some(each => BUTTON.test(each))
  const isStrong = classes.some(each => STRONG.test(each)) || isFilled
  const points = Number(isButton) + Number(isStrong) + Number(classes.some(each => LARGE.test(each)))
  return classes.some(each => WEAK.test(each)) ? Math.min(points, 1) - 1 : points
}

const VOTES = /feedback|helpful|was-this|vote|rating|thumbs/i
const CONSENT = /cookie|consent|gdpr|rgpd|dsgvo|cmp-/i

/** A yes or no below the question whether a page has helped. */
export function isVote(element: HtmlElement): boolean {
  return element.tag === 'button' && isBelow(element, VOTES)
}

/** A part of the banner that asks for consent: it is no part of what the site is for. */
export function isOfConsent(element: HtmlElement): boolean {
  return isBelow(element, CONSENT)
}

function isBelow(element: HtmlElement, pattern: RegExp): boolean {
  let steps = 0
  const isNamed = ({ tag, attributes }: HtmlElement) =>
    !/^(html|body|main)$/.test(tag) &&
    pattern.test(`${attributes.get('id') ?? ''} ${attributes.get('class') ?? ''}`.slice(0, 400))
  return (
    ancestorOf(element, each => {
      steps += 1
      return steps > MAX_ANCESTORS || isNamed(each)
    }) !== null && steps <= MAX_ANCESTORS
  )
}

/** What a frame or a player of a page is for; null: nothing that visitors do. */
export function intentOfEmbed({ tag, attributes }: HtmlElement, pageUrl: string): Intent | null {
  if (tag === 'audio') return 'play'
  const url = URL.parse((attributes.get('src') ?? attributes.get('data-src') ?? '').slice(0, 2_048), pageUrl)
  const intent = url === null ? null : intentOfService(url)
  return intent !== null && /^(book|buy|donate|play|subscribe)$/.test(intent) ? intent : null
}
