import { bareKey } from '#schemas/property-names'

/** Texts that visitors choose, as a reader should see them. */

/**
 * Characters that do not show, or that change the order or the place of others, as the command line escapes
 * them (core/text/clean-text.ts).
 */
export const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** A text with such characters as escapes, `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSAFE, character => `\\u{${(character.codePointAt(0) as number).toString(16)}}`)
}

/**
 * A value of a property, where there may be none. `none`: what the event then lacks.
 */
export function valueLabel(value: string | null | undefined, none = '(not set)'): string {
  if (value === null || value === undefined) return none
  return value === '' ? '(empty)' : visible(value)
}

/** A path in the letters of its language: `/über-uns` for `/%C3%BCber-uns`. */
export function pathLabel(path: string | null | undefined): string {
  if (path === null || path === undefined) return '(no page)'
  if (path === '') return '(empty path)'
  return visible(decoded(path))
}

function decoded(path: string): string {
  try {
    // What separates the parts of an address stays as it was sent, so that two paths never look the same.
    return decodeURI(path)
  } catch {
    return path
  }
}

/** Events that the tracker sends by itself, as readers call them. */
const EVENT_LABELS: Readonly<Record<string, string>> = {
  page_view: 'Page view',
  $404: 'Page not found',
  $click: 'Click',
  $consent: 'Consent',
  $download: 'Download',
  $error: 'Error in a page',
  $experiment_exposure: 'Saw an experiment',
  $form_submit: 'Form sent',
  $impression: 'Saw a part of a page',
  $performance: 'Speed of a page',
  $scroll_depth: 'Scrolled',
  $time_on_page: 'Time on a page',
  $web_vitals: 'Web vitals',
}

/** The name of an event; one that the site has chosen itself, as it is. */
export function eventLabel(event: string): string {
  return Object.hasOwn(EVENT_LABELS, event) ? (EVENT_LABELS[event] as string) : valueLabel(event)
}

/** Fields and properties that most sites have, as readers call them. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  event: 'Event',
  country: 'Country',
  user_id: 'Visitor id',
  session_id: 'Session id',
  channel: 'Channel',
  source: 'Source',
  entry_page: 'Landing page',
  path: 'Path',
  title: 'Page title',
  hostname: 'Host',
  referrer: 'Referrer',
  utm_source: 'Campaign source',
  utm_medium: 'Campaign medium',
  utm_campaign: 'Campaign',
  utm_term: 'Campaign term',
  utm_content: 'Campaign content',
  click_id: 'Click id of an ad',
  device: 'Device',
  browser: 'Browser',
  os: 'System',
  screen: 'Screen',
  language: 'Language',
  timezone: 'Time zone',
}

/** The name of a field, or of a property by its key; another one as it is. */
export function fieldLabel(field: string): string {
  const key = bareKey(field)
  return Object.hasOwn(FIELD_LABELS, key) ? (FIELD_LABELS[key] as string) : visible(key)
}
