/**
 * Icons of our own for values that many sites have: simple signs in one colour, no logos. Flags
 * are no part of every system, and drawn ones are a hundred times as large, so a country has its two letters.
 */

const SIZE = 14

/** Lines in a square of 16, by the value in small letters. */
const SHAPES: Record<string, Record<string, string>> = {
  'properties.device': {
    desktop: 'M2 3h12v8H2zM6 14h4M8 11v3',
    mobile: 'M5 1.5h6v13H5zM7.5 12.5h1',
    tablet: 'M3 1.5h10v13H3zM7.5 12.5h1',
  },
  'properties.os': {
    windows: 'M2 2.5h5v5H2zM9 2.5h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
    macos: 'M2 3h12v8H2zM1 13.5h14',
    ios: 'M5 1.5h6v13H5zM7 3h2',
    android: 'M2.5 11a5.5 5.5 0 0 1 11 0zM4 3l1.5 2.5M12 3l-1.5 2.5M6 8.5h.1M10 8.5h.1',
    linux: 'M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10.5h3',
    chromeos: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  },
  'properties.browser': {
    chrome:
      'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 5.5h6M5.8 9.2l-3-5M10.2 9.2l-3 5',
    safari: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM11 5L9 9 5 11l2-4z',
    firefox: 'M8 2c3 1 6 3 6 7a6 6 0 0 1-12 0c0-2 .8-3.5 2-5l1.5 2C6 4.5 7 3.5 8 2zM6 9a2.5 2.5 0 0 0 5 0',
    edge: 'M14 10.5a6.5 6.5 0 1 1 .5-2.5H6c.5 3 4 4.5 8 2.5zM6 8c0-3 4-3 4.5 0',
    opera: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM8 4a2.5 4 0 1 0 0 8 2.5 4 0 0 0 0-8z',
  },
}

/**
 * The icon of a value of a field, as POST /query names it; null where there is none. The name beside it says
 * the same, so a screen reader does not hear it.
 */
export function ValueIcon({ field, value }: { field: string; value: string | null }) {
  if (value === null) return null
  if (field === 'country')
    return /^[A-Z]{2}$/.test(value) ? <span class="value-icon" aria-hidden="true" data-code={value} /> : null
  const shapes = Object.hasOwn(SHAPES, field) ? SHAPES[field] : undefined
  if (shapes === undefined) return null
  const name = value.toLowerCase()
  // A value without a sign keeps the place of it, so that all names begin below each other.
  return (
    <svg class="value-icon" viewBox="0 0 16 16" width={SIZE} height={SIZE} aria-hidden="true">
      {Object.hasOwn(shapes, name) && <path d={shapes[name]} />}
    </svg>
  )
}
