import { useEffect, useReducer } from 'preact/hooks'
import { faultsOf } from './address-faults.ts'
import { type Address, parseAddress, printAddress } from './url.ts'

/** The address of the window, and how it changes. Links are normal links; a click on one loads no page. */

const listeners = new Set<() => void>()
let current = read()
let faults = readFaults()

function read(): Address {
  return parseAddress(new URL(location.href))
}

function readFaults(): string[] {
  return faultsOf(new URL(location.href).searchParams)
}

function tell(): void {
  current = read()
  faults = readFaults()
  for (const listener of listeners) listener()
}

export function currentAddress(): Address {
  return current
}

/** What the address has that is left out, as sentences. */
export function addressFaults(): readonly string[] {
  return faults
}

/** Goes to another address. `isReplacing`: the back button does not come back to this one. */
export function go(address: Address, isReplacing = false): void {
  const href = printAddress(address)
  if (href === location.pathname + location.search) return
  if (isReplacing) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  tell()
}

/** Follows back, forward, and clicks on links of the dashboard. Call it once. */
export function followLinks(): void {
  addEventListener('popstate', tell)
  document.addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = (event.target as Element | null)?.closest?.('a[href]')
    if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || !/^\/(app|share)(\/|$)/.test(url.pathname)) return
    const before = current
    // A link to a part of this page, such as the one that skips the navigation, is the browser's.
    if (url.hash !== '' && url.pathname === location.pathname && url.search === location.search) return
    const next = parseAddress(url)
    // Another area has another credential, which its page starts with.
    if (next.area !== before.area || next.secret !== before.secret) return
    event.preventDefault()
    go(next)
    if (before.view !== current.view || before.project !== current.project) scrollTo(0, 0)
  })
}

/** The address, and a new drawing with each change of it. */
export function useAddress(): Address {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  useEffect(() => {
    listeners.add(draw as () => void)
    return () => void listeners.delete(draw as () => void)
  }, [])
  return current
}

/** The link to an address. */
export function hrefTo(address: Address): string {
  return printAddress(address)
}
