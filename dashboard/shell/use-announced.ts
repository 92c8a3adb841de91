import { useEffect, useRef, useState } from 'preact/hooks'
import { type Address, printAddress } from '#dashboard/url'
import { filterWords } from './filter-words.ts'

/**
 * For who hears the page, or goes through it by keyboard: returns what has changed with the address, as a
 * text to be read out, and puts the focus where the change is if what had it is gone.
 */
export function useAnnounced(address: Address, title: string): string {
  const [said, say] = useState('')
  const before = useRef(address)
  useEffect(() => {
    const { current: old } = before
    before.current = address
    const isSameView = old.view === address.view && old.project === address.project
    const filters = address.filters.map(each => filterWords(each)).join(', ')
    const areSame = old.filters.map(each => filterWords(each)).join(', ') === filters
    if (!isSameView) say(title)
    else if (!areSame) say(filters === '' ? 'No filters' : `Filters: ${filters}`)
    // The link or the button that was pressed may not be drawn any more.
    const focused = document.activeElement
    if (focused !== null && focused !== document.body) return
    const place = isSameView && !areSame ? '.filters' : isSameView ? null : '#main'
    if (place !== null) document.querySelector<HTMLElement>(place)?.focus({ preventScroll: true })
  }, [printAddress(address), title])
  return said
}
