/**
 * Returns the secret of the address, or null. It is removed from the address, so that nobody reads it over a
 * shoulder, copies it, or finds it in the history. A reload finds it in the state of this entry of the
 * history, which ends with the tab.
 */
export function takeSecret(): string | null {
  const fragment = location.hash.slice(1)
  if (fragment !== '') {
    history.replaceState({ secret: fragment }, '', location.pathname)
    return fragment
  }
  const { secret } = (history.state ?? {}) as { secret?: unknown }
  return typeof secret === 'string' ? secret : null
}

// Another replay that is opened in the same tab changes only the fragment, which loads nothing.
addEventListener('hashchange', () => {
  if (location.hash !== '') location.reload()
})
