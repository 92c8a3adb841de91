import { MASK } from './patterns.ts'

/** A shorter text would be found in many words that nobody typed. It is masked where it is the whole text. */
const MIN_CHARS = 4
/** A line is looked for in pieces of this length, so that a long one is found whole. */
const PIECE_CHARS = 500
/**
 * How many pieces of one value, values of one field, and fields are remembered. The oldest is forgotten
 * first.
 */
const MAX_PIECES = 40
const MAX_VALUES = 3
const MAX_FIELDS = 100
/** How many pieces are looked for. The newest come first. */
const MAX_SEARCHED = 500

export type TypedValues = {
  /** Remembers what a field holds. `field` is the id of its element. */
  note(field: number, value: string): void
  /** Replaces what was typed, in any case, also where it is part of an address. */
  redact(text: string): string
  /** As `redact`, for a text that the page shows: also a short one that is typed as a whole. */
  redactShown(text: string): string
}

/**
 * Remembers what users type, in the memory of the page alone, because pages show it elsewhere: a password
 * that is revealed, a preview, a greeting, a message that was sent.
 */
export function createTypedValues(): TypedValues {
  const fields = new Map<number, string[]>()
  let whole = new Set<string>()
  let search: RegExp | null = null
  let isPrepared = true

  function prepare(): void {
    if (isPrepared) return
    isPrepared = true
    const pieces = [...fields.values()].reverse().flat().flatMap(toPieces)
    whole = new Set(pieces)
    const forms = pieces
      .filter(piece => piece.length >= MIN_CHARS)
      .slice(0, MAX_SEARCHED)
      .flatMap(toForms)
      .sort((a, b) => b.length - a.length)
    search = forms.length > 0 ? new RegExp([...new Set(forms)].map(escapePattern).join('|'), 'giu') : null
  }

  function redact(text: string): string {
    prepare()
    return search ? text.replace(search, MASK) : text
  }

  return {
    note(field, value) {
      const known = fields.get(field) ?? []
      if (value.trim() === '' || known.at(-1) === value) return
      // While a user types, each value is the beginning of the next.
      const others = known.filter(other => !value.startsWith(other) && !other.startsWith(value))
      fields.delete(field)
      fields.set(field, [...others, value.slice(0, PIECE_CHARS * MAX_PIECES)].slice(-MAX_VALUES))
      if (fields.size > MAX_FIELDS) fields.delete(fields.keys().next().value!)
      isPrepared = false
    },
    redact,
    redactShown(text) {
      prepare()
      return whole.has(text.trim().toLowerCase()) ? MASK : redact(text)
    },
  }
}

/** Returns the lines of a value, which a page may show apart, in small letters. */
function toPieces(value: string): string[] {
  const pieces: string[] = []
  for (const line of value.toLowerCase().split(/[\r\n]+/))
    for (let at = 0; at < line.length; at += PIECE_CHARS) pieces.push(line.slice(at, at + PIECE_CHARS).trim())
  return pieces.filter(Boolean).slice(0, MAX_PIECES)
}

/** Returns a text as it stands in texts and in addresses. */
function toForms(text: string): string[] {
  try {
    const encoded = encodeURIComponent(text)
    return [text, encoded, encoded.replaceAll('%20', '+')]
  } catch {
    // Half of a character, as at the end of a piece, has no form in an address.
    return [text]
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
