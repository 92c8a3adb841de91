import { UNSAFE, visible } from '#dashboard/texts'

/** What fields of names take, as the service does: the form of it, all other letters, and both in words. */
const LETTERS = {
  project: {
    pattern: '[A-Za-z0-9._\\-]{1,64}',
    others: /[^A-Za-z0-9._-]/gu,
    words: '1 to 64 letters from A to Z, digits, dots, dashes and _',
  },
  portfolio: {
    pattern: '[a-z0-9][a-z0-9\\-]{0,63}',
    others: /[^a-z0-9-]/gu,
    words: '1 to 64 small letters from a to z, digits and dashes, with no dash at the beginning',
  },
  experiment: {
    pattern: '[A-Za-z0-9_\\-]{1,64}',
    others: /[^A-Za-z0-9_-]/gu,
    words: '1 to 64 letters from A to Z, digits, dashes and _',
  },
  title: {
    pattern: '[^\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}]{0,64}',
    others: UNSAFE,
    words: 'at most 64 letters that show',
  },
  percent: { pattern: '[0-9]{1,3}', others: /[^0-9]/gu, words: 'a whole number of 1 to 3 digits' },
} as const

/**
 * Attributes of an input that takes such a text. For another one the browser says which field it is, what it
 * takes, and which letters are wrong.
 */
export function lettersOf(kind: keyof typeof LETTERS, field: string) {
  const { pattern, others, words } = LETTERS[kind]
  return {
    pattern,
    onInvalid: ({ currentTarget: input }: { currentTarget: HTMLInputElement }) => {
      if (!input.validity.patternMismatch) return
      const wrong = [...new Set(input.value.match(others) ?? [])].map(nameOf)
      const not = wrong.length === 0 ? '' : ` It does not take ${wrong.join(' ')}`
      input.setCustomValidity(`${field}: ${words}.${not}`)
    },
    // The field is judged anew with each letter.
    onInputCapture: ({ currentTarget: input }: { currentTarget: HTMLInputElement }) =>
      input.setCustomValidity(''),
  }
}

function nameOf(letter: string): string {
  return letter === ' ' ? 'spaces' : visible(letter)
}
