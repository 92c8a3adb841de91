type Props = {
  label: string
  /** What the field has, one text on each line. */
  value: string
  change(value: string): void
  note?: string
}

/** A list of short texts, one on each line. `linesOf` reads it. */
export function LinesField({ label, value, change, note }: Props) {
  return (
    <label>
      {label}
      <textarea rows={3} value={value} onInput={event => change(event.currentTarget.value)} />
      {note !== undefined && <small>{note}</small>}
    </label>
  )
}

/** Lines with text. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}
