/** What a reader's browser says of its language, its zone and what it remembers. */

/** `Intl` of a reader with this language and zone, whatever those of this process are. */
export function localIntl(language: string, zone: string): typeof Intl {
  class DateTimeFormat extends Intl.DateTimeFormat {
    constructor(locales?: Intl.LocalesArgument, options: Intl.DateTimeFormatOptions = {}) {
      super(locales ?? language, { ...options, timeZone: options.timeZone ?? zone })
    }
  }
  class NumberFormat extends Intl.NumberFormat {
    constructor(locales?: Intl.LocalesArgument, options?: Intl.NumberFormatOptions) {
      super(locales ?? language, options)
    }
  }
  return Object.create(Intl, {
    DateTimeFormat: { value: DateTimeFormat },
    NumberFormat: { value: NumberFormat },
  })
}

/** A storage of a browser, as a page finds it. */
export function memoryStorage(
  items: Readonly<Record<string, string>> = {},
): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const known = new Map(Object.entries(items))
  return {
    getItem: name => known.get(name) ?? null,
    setItem: (name, value) => void known.set(name, value),
    removeItem: name => void known.delete(name),
  }
}

/** Numbers as a reader of en-GB sees them. */
export const count = (value: unknown) => Number(value).toLocaleString('en-GB')
export const rate = (value: unknown) =>
  Number(value).toLocaleString('en-GB', { style: 'percent', maximumFractionDigits: 1 })
/**
 * A change as a part of what was before. It is `(37 - 40) / 40`, as in the dashboard: `37 / 40 - 1` is a
 * little more than -7.5 %, so it would be shown as -7 % and not as -8 %.
 */
export const change = (value: number, before: number) => {
  const part = (value - before) / before
  const arrow = Math.abs(part) < 0.005 ? '→' : part > 0 ? '↑' : '↓'
  const options = { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' } as const
  return `${arrow}${part > 9.99 ? 'over 10 times' : part.toLocaleString('en-GB', options)}`
}

/** Markup that would run, if anything took it for markup. */
export const HOSTILE = `"><img src=x onerror="owned=1"><script>owned=1</script>`
