import { eventLabel } from '#dashboard/texts'

type Props = {
  title: string
  /** What it means when no event is chosen. */
  none: string
  value: string
  names: readonly string[]
  choose(event: string): void
}

/** A choice among the events of the project. The chosen one stands in the list even if it is in no range. */
export function EventChoice({ title, none, value, names, choose }: Props) {
  return (
    <label>
      {title}
      <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{none}</option>
        {[...new Set([...(value === '' ? [] : [value]), ...names])].map(name => (
          <option key={name} value={name}>
            {eventLabel(name)}
          </option>
        ))}
      </select>
    </label>
  )
}
