import type { ComponentChildren } from 'preact'

export type BarLabelProps = {
  label: ComponentChildren
  /** The whole text, where `label` is cut. */
  title: string
  /** Where a click leads; absent: the row is no link. */
  href?: string | undefined
  /** The length of the bar, 0 to 1. */
  share: number
  /** Whether the Tab key reaches the link. */
  isStop: boolean
}

/** The first cell of a row of a ranked list: its name, with a bar behind it. */
export function BarLabel({ label, title, href, share, isStop }: BarLabelProps) {
  return (
    <th scope="row" title={title}>
      <span class="bar" style={{ inlineSize: `${share * 100}%` }} aria-hidden="true" />
      {href === undefined ? (
        <span class="label">{label}</span>
      ) : (
        <a class="label" href={href} tabIndex={isStop ? 0 : -1}>
          {label}
        </a>
      )}
    </th>
  )
}
