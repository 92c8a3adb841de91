/** `name`: the property of an entry. `label`: what it is, such as `Meaning`. */
type TextField = { name: string; label: string; placeholder: string; max: number; isOptional?: true }
type ChoiceField = {
  name: string
  label: string
  choices: readonly (readonly [value: string, name: string])[]
}
export type EntryField = TextField | ChoiceField

type Props<Entry> = {
  /** What an entry is, such as `Word`. */
  title: string
  fields: readonly EntryField[]
  entries: readonly Entry[]
  change(entries: readonly Entry[]): void
  /** A new entry. */
  blank: Entry
  /** Entries that there may be. */
  max: number
  /** The words of the button that adds one. */
  add: string
}

/** A list of entries with the same few fields, to change, remove and add. */
export function EntryList<Entry extends Record<string, string>>(props: Props<Entry>) {
  const { title, fields, entries, change, blank, max, add } = props
  const kind = title.toLowerCase()
  return (
    <>
      {entries.map((entry, i) => (
        <fieldset class="entry" key={String(i)}>
          <legend>
            {title} {i + 1}
          </legend>
          {fields.map(field => (
            <Field
              key={field.name}
              field={field}
              label={`${field.label} of ${kind} ${i + 1}`}
              value={entry[field.name] ?? ''}
              change={value =>
                change(entries.map((each, k) => (k === i ? { ...each, [field.name]: value } : each)))
              }
            />
          ))}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${kind} ${i + 1}`}
            onClick={() => change(entries.filter((_, k) => k !== i))}
          >
            Remove
          </button>
        </fieldset>
      ))}
      {entries.length < max && (
        <button type="button" class="quiet" onClick={() => change([...entries, blank])}>
          + {add}
        </button>
      )}
    </>
  )
}

type FieldProps = { field: EntryField; label: string; value: string; change(value: string): void }

function Field({ field, label, value, change }: FieldProps) {
  if ('choices' in field) {
    // An entry may name what is gone by now. The service says so when it is saved.
    const isGone = value !== '' && field.choices.every(([choice]) => choice !== value)
    return (
      <select required aria-label={label} value={value} onChange={event => change(event.currentTarget.value)}>
        <option value="">{field.label} …</option>
        {isGone && <option value={value}>{value}</option>}
        {field.choices.map(([choice, name]) => (
          <option key={choice} value={choice}>
            {name}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      required={field.isOptional !== true}
      aria-label={label}
      placeholder={field.placeholder}
      maxLength={field.max}
      value={value}
      onInput={event => change(event.currentTarget.value)}
    />
  )
}
