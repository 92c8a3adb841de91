import { plainText } from '#core/text/clean-text'
import type { Action, Intent } from './findings.ts'
import { type FormReading, fieldOf, isSubmit, MAX_FIELDS, purposeOf } from './forms.ts'
import { type HtmlElement, type HtmlPage, textOf } from './html-tree.ts'
import { type IntentOfWords, intentOfWords, mentions } from './intents.ts'
import { ancestorOf, regionOf } from './regions.ts'
import type { DeclaredActions } from './schema-actions.ts'
import { createSelectors } from './selectors.ts'
import {
  intentOfEmbed,
  intentOfFormMarkup,
  intentOfMarkup,
  isOfConsent,
  isVote,
  prominenceOf,
} from './structure.ts'
import { type Target, targetOf } from './targets.ts'

/** Links, buttons and forms of one page that are looked at, and actions that are kept. */
const [MAX_CANDIDATES, MAX_FORMS, MAX_ACTIONS] = [2_000, 100, 200]
/** Frames and players of one page, and prominent elements that are named by their own words. */
const [MAX_EMBEDS, MAX_OWN_WORDS] = [10, 4]
/** Longest words of an action, characters. */
export const MAX_WORDS_CHARS = 60

type Draft = Omit<Action, 'selector'> & { element: HtmlElement }

type Place = {
  path: string
  url: string
  language: string | null
  /** What the page says in structured data of the addresses of its links and forms. */
  declared: DeclaredActions
}

/** What visitors can do on a page, in the order of the page. */
export function findActions(page: HtmlPage, { path, url, language, declared }: Place): Action[] {
  const visible = page.elements.filter(
    element => !element.isInert && !element.attributes.has('hidden') && !isOfBanner(element),
  )
  const forms = formsOf(visible)
  const submits = new Set(forms.flatMap(({ submit }) => submit ?? []))
  const place = { page: path, pages: 1 }

  const ofForms = forms.flatMap((form): Draft[] => {
    const element = form.submit ?? form.element
    const words = form.submit === null ? '' : wordsOfElement(page, form.submit)
    const { target } = targetOf(form.element.attributes.get('action'), url)
    const text = textOf(page, form.element, 300)
    const found = intentOfForm(form, { words, text, path, declared: declared.get(target ?? '') }, language)
    if (found === null) return []
    return [
      {
        ...place,
        ...found,
        kind: 'form',
        region: regionOf(form.element),
        words,
        isBareForm: form.submit === null,
        isPrimary: true,
        target,
        isExternal: false,
        language,
        element,
      },
    ]
  })

  const others = visible
    .filter(element => isCandidate(element) && !submits.has(element))
    .slice(0, MAX_CANDIDATES)
    .flatMap((element): Draft[] => {
      const isLink = element.tag === 'a'
      const words = wordsOfElement(page, element)
      const target: Target = isLink
        ? targetOf(element.attributes.get('href'), url)
        : { intent: null, target: null, isExternal: false }
      const prominence = prominenceOf(element)
      const marked = intentOfMarked(element) ?? declared.get(target.target ?? '') ?? null
      const found =
        marked !== null
          ? { intent: marked, certainty: 1, language: null }
          : (intentOfElement(intentOfWords(words, language), target, words) ??
            intentOfOwnWords(words, prominence, target))
      if (found === null) return []
      return [
        {
          ...place,
          intent: found.intent,
          certainty: found.certainty,
          kind: isLink ? 'link' : 'button',
          region: regionOf(element),
          words,
          isBareForm: false,
          isPrimary: prominence >= 2,
          target: target.target,
          isExternal: target.isExternal,
          language: found.language ?? language,
          element,
        },
      ]
    })

  const embeds = visible
    .filter(({ tag }) => /^(iframe|audio)$/.test(tag))
    .slice(0, MAX_EMBEDS)
    .flatMap((element): Draft[] => {
      const intent = intentOfEmbed(element, url)
      if (intent === null) return []
      return [
        {
          ...place,
          intent,
          certainty: 0.9,
          kind: element.tag === 'audio' ? 'player' : 'frame',
          region: regionOf(element),
          words: plainText(element.attributes.get('title') ?? '', MAX_WORDS_CHARS),
          isBareForm: false,
          isPrimary: false,
          target: targetOf(element.attributes.get('src'), url).target,
          isExternal: element.tag === 'iframe',
          language,
          element,
        },
      ]
    })

  const drafts = [...ofForms, ...withoutMany([...others, ...embeds])].slice(0, MAX_ACTIONS)
  const selectorOf = createSelectors(
    page.elements,
    drafts.map(({ element }) => element),
  )
  return drafts.map(({ element, ...action }) => ({ ...action, selector: selectorOf(element) }))
}

/**
 * Of elements that only their own words name, the surest few. One that is alone in the content of its page is
 * what the page is for.
 */
function withoutMany(drafts: readonly Draft[]): Draft[] {
  const own = drafts
    .filter(({ intent }) => intent === 'other')
    .toSorted((a, b) => b.certainty - a.certainty)
    .slice(0, MAX_OWN_WORDS)
  const inContent = own.filter(({ region }) => region === 'main' || region === 'body')
  const lone = new Set(inContent.map(({ words }) => words)).size === 1 ? inContent[0] : undefined
  return drafts.flatMap(draft => {
    if (draft.intent !== 'other') return [draft]
    if (!own.includes(draft)) return []
    return [
      draft === lone
        ? { ...draft, isPrimary: true, certainty: Math.max(draft.certainty, LONE_CERTAINTY) }
        : draft,
    ]
  })
}

/** Such an element is as sure as a primary button. */
const LONE_CERTAINTY = 0.7

function isOfBanner(element: HtmlElement): boolean {
  return /^(a|button|input|form|select|textarea)$/.test(element.tag) && isOfConsent(element)
}

/** What the markup around an element says, or its platform. */
function intentOfMarked(element: HtmlElement): Action['intent'] | null {
  return isVote(element) ? 'feedback' : intentOfMarkup(element)
}

/**
 * A prominent element whose words no table knows. Longer words are sentences, and one without a letter is a
 * picture.
 */
function intentOfOwnWords(
  words: string,
  prominence: number,
  { isExternal }: Target,
): { intent: 'other'; certainty: number; language: null } | null {
  if (prominence < 1 || !/\p{L}{2}/u.test(words) || words.split(/\s+/).length > MAX_OWN_WORDS_LENGTH)
    return null
  return {
    intent: 'other',
    certainty: Math.min(0.8, 0.4 + prominence * 0.12 - (isExternal ? 0.05 : 0)),
    language: null,
  }
}

/** Words of an element that are a name for what it does. */
const MAX_OWN_WORDS_LENGTH = 6

function isCandidate({ tag, attributes }: HtmlElement): boolean {
  if (tag === 'a') return attributes.has('href')
  if (tag === 'button') return true
  if (tag === 'input') return /^(submit|button|image)$/i.test(attributes.get('type') ?? '')
  return attributes.get('role') === 'button'
}

/** The forms of a page with their fields. */
function formsOf(elements: readonly HtmlElement[]): FormReading[] {
  const forms = new Map<HtmlElement, FormReading>()
  for (const element of elements) {
    if (element.tag === 'form' && forms.size < MAX_FORMS) {
      forms.set(element, { element, fields: [], submit: null })
      continue
    }
    if (!/^(input|textarea|select|button)$/.test(element.tag)) continue
    const form = forms.get(ancestorOf(element, ({ tag }) => tag === 'form') ?? element)
    if (form === undefined) continue
    if (isSubmit(element)) form.submit ??= element
    else if (element.tag !== 'button' && form.fields.length < MAX_FIELDS) form.fields.push(fieldOf(element))
  }
  return [...forms.values()]
}

/** The words that a visitor reads on an element, or hears. */
function wordsOfElement(page: HtmlPage, element: HtmlElement): string {
  const { attributes } = element
  const text = textOf(page, element, 2 * MAX_WORDS_CHARS)
  // The number in a cart is no name.
  const named =
    (/\p{L}/u.test(text) ? text : '') ||
    attributes.get('aria-label') ||
    text ||
    attributes.get('value') ||
    attributes.get('title')
  const start = (named || altOf(element) || '').slice(0, 4 * MAX_WORDS_CHARS)
  return plainText(start.replace(SHORTCUT, ''), MAX_WORDS_CHARS)
}

/** A keyboard shortcut at the end of a label, such as `Ctrl+K`. */
const SHORTCUT = /(?<!\s)\s+(?:(?:Ctrl|Cmd|⌘|⌃)\s?\+?\s?\p{L}|\/)\s*$/u

/** The text of an image in the element. */
function altOf({ tag, attributes, firstImage }: HtmlElement): string | undefined {
  return tag === 'input' ? attributes.get('alt') : firstImage?.attributes.get('alt')
}

function intentOfForm(
  form: FormReading,
  {
    words,
    text,
    path,
    declared,
  }: { words: string; text: string; path: string; declared?: Intent | undefined },
  language: string | null,
): { intent: Action['intent']; certainty: number } | null {
  const said = intentOfWords(words, language)
  const marked =
    intentOfFormMarkup(form.element) ??
    (form.submit === null ? null : intentOfMarked(form.submit)) ??
    declared ??
    null
  const purpose = purposeOf(form, path)
  if (purpose !== null && (purpose.certainty >= 0.9 || purpose.certainty < 0.45)) return purpose
  if (marked !== null && isPossible(marked, form)) return { intent: marked, certainty: 0.95 }
  if (purpose === null) return said ?? ownWordsOfForm(form, words)
  const isOpen = purpose.intent === 'other' || purpose.intent === 'subscribe'
  if (isOpen && said?.intent !== 'waitlist' && mentions(text, 'subscribe', language)) {
    return { intent: 'subscribe', certainty: 0.95 }
  }
  // Fields that fit several purposes say less than the words on the button.
  const isSaid =
    said !== null &&
    said.certainty >= Math.max(0.5, purpose.certainty) &&
    (said.intent !== 'contact' || purpose.certainty <= 0.5)
  return isSaid ? said : purpose
}

/** A class such as `cart` or `newsletter` says nothing about a form whose fields ask for something else. */
function isPossible(intent: Action['intent'], { fields }: FormReading): boolean {
  const asksText = fields.some(({ type }) => type === 'textarea')
  return !(asksText && /^(add_to_cart|subscribe|waitlist|notify|search)$/.test(intent))
}

/** A form that no rule knows: its button says what it does. */
function ownWordsOfForm(
  { fields }: FormReading,
  words: string,
): { intent: 'other'; certainty: number } | null {
  return fields.length > 0 && /\p{L}{2}/u.test(words) ? { intent: 'other', certainty: 0.55 } : null
}

function intentOfElement(
  said: IntentOfWords | null,
  { intent, isExternal }: Target,
  words: string,
): { intent: Action['intent']; certainty: number; language: string | null } | null {
  if (intent === 'call' || (intent === 'contact' && said === null)) {
    return { intent, certainty: 1, language: null }
  }
  if (said !== null && said.intent === intent)
    return { ...said, certainty: Math.min(1, said.certainty + 0.1) }
  // The address of another site says more than the words: `Reserve` at a service for tables.
  if (intent !== null && isExternal) return { intent, certainty: 0.8, language: null }
  if (said !== null && said.certainty >= 0.6) return said
  const isLabel = words !== '' && words.split(/\s+/).length <= 6
  return intent !== null && isLabel ? { intent, certainty: 0.6, language: null } : said
}
