import { plainText } from '#core/text/clean-text'
import type { Action } from './findings.ts'
import { type FormReading, fieldOf, isSubmit, MAX_FIELDS, purposeOf } from './forms.ts'
import { type HtmlElement, type HtmlPage, textOf } from './html-tree.ts'
import { type IntentOfWords, intentOfWords, mentions } from './intents.ts'
import { ancestorOf, regionOf } from './regions.ts'
import { createSelectors } from './selectors.ts'
import { type Target, targetOf } from './targets.ts'

/** Links, buttons and forms of one page that are looked at, and actions that are kept. */
const [MAX_CANDIDATES, MAX_FORMS, MAX_ACTIONS] = [2_000, 100, 200]
/** Longest words of an action, characters. */
export const MAX_WORDS_CHARS = 60

type Draft = Omit<Action, 'selector'> & { element: HtmlElement }

/** What visitors can do on a page, in the order of the page. */
export function findActions(
  page: HtmlPage,
  { path, url, language }: { path: string; url: string; language: string | null },
): Action[] {
  const visible = page.elements.filter(({ isInert, attributes }) => !isInert && !attributes.has('hidden'))
  const forms = formsOf(visible)
  const submits = new Set(forms.flatMap(({ submit }) => submit ?? []))
  const place = { page: path, pages: 1 }

  const ofForms = forms.flatMap((form): Draft[] => {
    const element = form.submit ?? form.element
    const words = form.submit === null ? '' : wordsOfElement(page, form.submit)
    const found = intentOfForm(form, words, textOf(page, form.element, 300), language)
    if (found === null) return []
    return [
      {
        ...place,
        ...found,
        kind: 'form',
        region: regionOf(form.element),
        words,
        isBareForm: form.submit === null,
        target: targetOf(form.element.attributes.get('action'), url).target,
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
      const found = intentOfElement(intentOfWords(words, language), target, words)
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
          target: target.target,
          isExternal: target.isExternal,
          language: found.language ?? language,
          element,
        },
      ]
    })

  const drafts = [...ofForms, ...others].slice(0, MAX_ACTIONS)
  const selectorOf = createSelectors(
    page.elements,
    drafts.map(({ element }) => element),
  )
  return drafts.map(({ element, ...action }) => ({ ...action, selector: selectorOf(element) }))
}

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
  words: string,
  text: string,
  language: string | null,
): { intent: Action['intent']; certainty: number } | null {
  const purpose = purposeOf(form)
  const said = intentOfWords(words, language)
  if (purpose === null) return said
  if (purpose.certainty >= 0.9) return purpose
  if (purpose.intent === 'subscribe' && mentions(text, 'subscribe', language)) {
    return { intent: 'subscribe', certainty: 0.95 }
  }
  // Fields that fit several purposes say less than the words on the button.
  const isSaid =
    said !== null &&
    said.certainty >= Math.max(0.5, purpose.certainty) &&
    (said.intent !== 'contact' || purpose.certainty <= 0.5)
  return isSaid ? said : purpose
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
