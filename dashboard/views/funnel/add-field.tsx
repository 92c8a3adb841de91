import { useId, useState } from 'preact/hooks'

type Props = {
  /** Name of the field, for readers who do not see it. */
  label: string
  button: string
  placeholder: string
  maxLength: number
  title?: string
  /** Values that the field offers. Any other text is taken, too. */
  offered: readonly { value: string; label?: string }[]
  onFocus?: () => void
  add(text: string): void
}

/** A field whose text becomes one more step, and is then empty for the next one. */
export function AddField({ label, button, offered, add, ...field }: Props) {
  const [text, setText] = useState('')
  const listId = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === '') return
    add(text.trim())
    setText('')
  }
  return (
    <form class="add-step" onSubmit={submit}>
      <label>
        <span class="hidden">{label}</span>
        <input
          {...field}
          required
          list={listId}
          value={text}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <button type="submit" class="plain">
        {button}
      </button>
      <datalist id={listId}>
        {offered.map(each => (
          <option key={each.value} {...each} />
        ))}
      </datalist>
    </form>
  )
}
