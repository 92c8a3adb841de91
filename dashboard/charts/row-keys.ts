import type { TargetedKeyboardEvent } from 'preact'

/**
 * The links of a list are one stop of the Tab key, because fifty rows would be fifty stops: arrow keys, Home
 * and End go from row to row.
 */
export function moveByRows(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('tbody a.label')]
  const at = links.indexOf(event.target as HTMLAnchorElement)
  const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: links.length - 1 }[event.key]
  if (at === -1 || to === undefined) return
  const next = links[to]
  event.preventDefault()
  if (next === undefined) return
  // The Tab key comes back to the row that was left.
  for (const link of links) link.tabIndex = link === next ? 0 : -1
  next.focus()
}

/** The index of the first row that is a link, which the Tab key reaches. */
export function stopOf(rows: readonly { href?: string | undefined }[]): number {
  return rows.findIndex(({ href }) => href !== undefined)
}
