import { MASK } from './patterns.ts'

/** A shorter text would be found in many words that nobody typed. */
const MIN_CHARS = 4
/** Longer texts are cut: a page that shows one shows its beginning. */
const MAX_CHARS = 256
/** How many fields are remembered. The oldest is forgotten first. */
const MAX_FIELDS = 200
/** Earlier values of one field that stay known, as a page may show what was typed before. */
const MAX_VALUES = 3

export type TypedValues = {
  /** Remembers what a field holds. `field` is the id of its element. */
  note(field: number, value: string): void
  /** Replaces what was typed, also where it is part of an address. */
  redact(text: string): string
}

/**
 * Remembers what users type, in the memory of the page alone, because pages show it elsewhere: a password that is revealed, a
 * preview, a greeting.
 */
export function createTypedValues(): TypedValues {
  const fields = new Map<number, string[]>()
  let forms: string[] = []

  return {
    note(field, value) {
      const text = value.trim().slice(0, MAX_CHARS)
      if (text.length < MIN_CHARS) return
      const known = fields.get(field) ?? []
      // While a user types, each value is the beginning of the next.
      const others = known.filter(other => !text.startsWith(other) && !other.startsWith(text))
      fields.delete(field)
      fields.set(field, [...others, text].slice(-MAX_VALUES))
      if (fields.size > MAX_FIELDS) fields.delete(fields.keys().next().value!)
      forms = [...new Set([...fields.values()].flat().flatMap(toForms))].sort((a, b) => b.length - a.length)
    },
    redact(text) {
      let redacted = text
      for (const form of forms) if (redacted.includes(form)) redacted = redacted.split(form).join(MASK)
      return redacted
    },
  }
}

/** Returns the value as it stands in texts and in addresses. */
function toForms(value: string): string[] {
  const encoded = encodeURIComponent(value)
  return [value, encoded, encoded.replaceAll('%20', '+')]
}
