import { useEffect, useRef } from 'preact/hooks'
import { go } from '#dashboard/navigate'
import { shownViews } from '#dashboard/shown-views'
import { type Address, COMPARISONS, type Comparison, DAY_LABELS } from '#dashboard/url'
import { uses, viewNamed } from '#dashboard/views'
import { addressOfView } from './navigation.tsx'

/** The keys, for the list that `?` shows. */
export const KEYS: readonly [keys: string, what: string][] = [
  ['Ctrl K or ⌘ K', 'Jump to a view, project, range or filter'],
  ['g, then a letter', 'Go to a view'],
  ['1 … 6', 'Choose a range, from today to a year'],
  ['f', 'Add a filter'],
  ['c', 'Change the comparison'],
  ['Backspace', 'Remove the last filter'],
  ['?', 'This list'],
]

type Options = { address: Address; openPalette(): void; openKeys(): void }

const TYPING = 'input, select, textarea, [contenteditable]'
/** How long a `g` waits for its letter, ms. */
const SECOND_KEY_MS = 1_500

/** Listens to keys wherever nothing is typed. */
export function useKeys(options: Options): void {
  // Effects run after the screen is drawn. A key that comes before that is for the address of now, too.
  const latest = useRef(options)
  latest.current = options
  useEffect(() => {
    let prefixAt = 0
    const onKey = (event: KeyboardEvent) => {
      const { key } = event
      const { address, openPalette, openKeys } = latest.current
      const row = viewNamed(address.view)
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
        return
      }
      const target = event.target as Element | null
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (target?.closest?.(TYPING) || document.querySelector('dialog[open]')) return
      if (Date.now() - prefixAt < SECOND_KEY_MS) {
        prefixAt = 0
        const next = shownViews(address).find(each => each.key === key)
        if (next !== undefined) go(addressOfView(address, next))
        return
      }
      if (key === 'g') prefixAt = Date.now()
      else if (key === '?') openKeys()
      else if (/^[1-6]$/.test(key) && uses(row, 'range', address))
        go({ ...address, range: { label: DAY_LABELS[Number(key) - 1] ?? '30d' } })
      else if (key === 'c' && uses(row, 'comparison', address)) {
        const known: readonly Comparison[] = COMPARISONS
        const next = (known.indexOf(address.comparison) + 1) % known.length
        go({ ...address, comparison: known[next] ?? 'previous' })
      } else if (key === 'f' && row?.of === 'project' && uses(row, 'filters', address)) {
        event.preventDefault()
        dispatchEvent(new Event('footfall-filter'))
      } else if (key === 'Backspace' && address.filters.length > 0) {
        go({ ...address, filters: address.filters.slice(0, -1) })
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
