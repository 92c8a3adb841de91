import type { Intent } from './findings.ts'
import type { HtmlElement } from './html-tree.ts'
import { IS_MAGIC, IS_RESET } from './platform-markup.ts'

export type Field = { type: string; name: string; autocomplete: string; element: HtmlElement }
export type FormReading = {
  element: HtmlElement
  fields: Field[]
  submit: HtmlElement | null
}

/** Fields of one form that are looked at. */
export const MAX_FIELDS = 60
/** Too little for an event, and enough so that nothing else is taken for it. */
const NO_EVENT = 0.3

/** A rule: what the fields say, and how sure that is. The first one that holds counts. */
type Rule = { intent: Intent; certainty: number; holds: (form: Shape) => boolean }
type Shape = {
  visible: Field[]
  count: (type: string) => number
  has: (pattern: RegExp) => boolean
  isSearch: boolean
  action: string
  path: string
}

const RULES: readonly Rule[] = [
  { intent: 'search', certainty: 1, holds: ({ isSearch }) => isSearch },
  {
    intent: 'search',
    certainty: 0.9,
    holds: ({ visible, count, has }) =>
      count('search') > 0 ||
      (visible.length === 1 &&
        has(/^(q|s|query|search|suche|buscar|cerca|recherche|zoek|szukaj|sok|ara|keyword)s?$/)),
  },
  { intent: 'checkout', certainty: 1, holds: ({ has }) => has(/^cc-(number|csc|exp)/) },
  {
    intent: 'search',
    certainty: 0.9,
    holds: ({ count, action }) =>
      count('password') === 0 &&
      /(^|\/)(search|suche|buscar|cerca|recherche|zoeken|szukaj)([/?]|$)/.test(action),
  },
  {
    intent: 'sign_up',
    certainty: 0.95,
    holds: ({ count, has }) => count('password') > 1 || (count('password') === 1 && has(/new-password/)),
  },
  {
    intent: 'sign_up',
    certainty: 0.6,
    holds: ({ count, has, action }) =>
      count('password') === 1 &&
      (/sign-?up|register|join|trial/.test(action) ||
        has(
          /^(first|last|full|company|your)?_?-?name$|^(company|organi[sz]ation|firma|entreprise|empresa|azienda)$/,
        )),
  },
  { intent: 'log_in', certainty: 0.9, holds: ({ count }) => count('password') === 1 },
  {
    intent: 'add_to_cart',
    certainty: 0.9,
    holds: ({ action }) => /cart|basket|add-to|warenkorb|panier|carrito/.test(action),
  },
  // An arrival and a departure.
  { intent: 'book', certainty: 0.95, holds: ({ count }) => count('date') > 1 },
  {
    intent: 'book',
    certainty: 0.8,
    holds: ({ count, has }) =>
      count('date') + count('time') + count('datetime-local') > 0 ||
      has(/^(check-?_?in|arrival|guests|party_?size|persons)$/),
  },
  { intent: 'apply', certainty: 0.6, holds: ({ has, count }) => has(/^(cv|resume)$/) && count('file') > 0 },
  {
    intent: 'contact',
    certainty: 0.7,
    holds: ({ count, has }) => count('textarea') > 0 && hasAddress(count, has),
  },
  { intent: 'quote', certainty: 0.5, holds: ({ count }) => count('tel') > 0 },
  { intent: 'reply', certainty: 0.5, holds: ({ count }) => count('textarea') > 0 },
  // One e-mail field alone may be anything: the words of the form decide (actions.ts).
  { intent: 'log_in', certainty: 0.95, holds: form => isMailAlone(form) && LOG_IN.test(form.path) },
  { intent: 'sign_up', certainty: 0.7, holds: form => isMailAlone(form) && IS_MAGIC.test(form.action) },
  { intent: 'other', certainty: 0.5, holds: isMailAlone },
  { intent: 'create', certainty: 0.5, holds: ({ count }) => count('file') > 0 },
  { intent: 'contact', certainty: 0.5, holds: ({ count, has }) => hasAddress(count, has) },
]

/** Pages of whoever has an account. */
const LOG_IN = /\/(log-?in|sign-?in|anmelden|connexion|entrar|inloggen)\/?$/

function isMailAlone({ visible, count, has }: Shape): boolean {
  return visible.length === 1 && (count('email') === 1 || has(/e-?mail|courriel|correo/))
}

function hasAddress(count: (type: string) => number, has: (pattern: RegExp) => boolean): boolean {
  return count('email') > 0 || has(/e-?mail/)
}

/** What the fields of a form say that it is for; null: nothing. No value of a field is read. */
export function purposeOf(
  { element, fields }: FormReading,
  path: string,
): { intent: Intent; certainty: number } | null {
  const visible = fields.filter(
    ({ type }) => !['hidden', 'submit', 'button', 'image', 'reset', 'checkbox', 'radio'].includes(type),
  )
  const shape: Shape = {
    visible,
    count: type => visible.filter(field => field.type === type).length,
    has: pattern =>
      visible.some(({ name, autocomplete }) => pattern.test(name) || pattern.test(autocomplete)),
    isSearch: element.attributes.get('role') === 'search',
    action: (element.attributes.get('action') ?? '').slice(0, 300).toLowerCase(),
    path,
  }
  // Whoever has lost a password is a user already, and counts as nothing.
  if (visible.length <= 2 && IS_RESET.test(shape.action)) return { intent: 'log_in', certainty: NO_EVENT }
  const rule = RULES.find(({ holds }) => holds(shape))
  return rule === undefined ? null : { intent: rule.intent, certainty: rule.certainty }
}

/** Reads a field. */
export function fieldOf(element: HtmlElement): Field {
  const { tag, attributes } = element
  return {
    type: tag === 'input' ? (attributes.get('type') ?? 'text').toLowerCase() : tag,
    name: (attributes.get('name') ?? attributes.get('id') ?? '').toLowerCase().slice(0, 60),
    autocomplete: (attributes.get('autocomplete') ?? '').toLowerCase().slice(0, 60),
    element,
  }
}

/** Whether a click on it sends the form around it. */
export function isSubmit({ tag, attributes }: HtmlElement): boolean {
  const type = (attributes.get('type') ?? '').toLowerCase()
  if (tag === 'button') return type === '' || type === 'submit'
  return tag === 'input' && (type === 'submit' || type === 'image')
}
