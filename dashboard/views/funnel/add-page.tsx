import { useId, useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import { call } from '#dashboard/api'
import { datedOf } from '#dashboard/question'
import { pathLabel } from '#dashboard/texts'
import type { Address } from '#dashboard/url'
import { MAX_PATTERN_CHARS, pageStep, type Step } from './steps.ts'

/** Paths that are offered. */
const OFFERED = 50

type Props = { address: Address; project: string; add(step: Step): void }

/** Adds a page as a step: a path, or a pattern of paths. The paths are asked for when the field has the focus. */
export function AddPage({ address, project, add }: Props) {
  const [text, setText] = useState('')
  const [isAsked, setAsked] = useState(false)
  const listId = useId()
  const paths = call('GET /breakdown', {
    ...{ ...datedOf(address), project, property: 'path', event: 'page_view', limit: OFFERED },
  })
  const answers = useAnswers<{ paths?: typeof paths }>(isAsked ? { paths } : {})
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === '') return
    add(pageStep(text.trim()))
    setText('')
  }
  return (
    <form class="add-step" onSubmit={submit}>
      <label>
        <span class="hidden">Page of a further step</span>
        <input
          required
          maxLength={MAX_PATTERN_CHARS}
          list={listId}
          placeholder="Page, such as /blog/*"
          title="* stands for any text without a slash, ** for any text"
          value={text}
          onFocus={() => setAsked(true)}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <button type="submit" class="plain">
        Add page
      </button>
      <datalist id={listId}>
        {answers.paths?.data?.values.map(({ value }) => (
          <option key={value} value={value} label={pathLabel(value)} />
        ))}
      </datalist>
    </form>
  )
}
