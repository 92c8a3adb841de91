import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { hrefOfSaved, queryOf } from '#dashboard/saved'
import { visible } from '#dashboard/texts'
import type { Address } from '#dashboard/url'

type Props = {
  address: Address
  project: string
  /** Whether there is a funnel to save. */
  isWhole: boolean
  answer: Known<Answer<'GET /projects/{id}/views'>>
}

/** The saved views that are funnels, by their names, and a field that saves this one. */
export function SavedFunnels({ address, project, isWhole, answer }: Props) {
  const act = useAct()
  const [name, setName] = useState('')
  const saved = (answer.data?.views ?? []).filter(
    ({ query }) => new URLSearchParams(query).get('view') === 'funnel',
  )
  const save = async (event: Event) => {
    event.preventDefault()
    const values = { name, query: queryOf(address) }
    const path = `/projects/${encodeURIComponent(project)}/views`
    if ((await act.run(call('POST /projects/{id}/views', values, { id: project }), path)) !== null)
      setName('')
  }
  if (saved.length === 0 && !isWhole) return null
  return (
    <section class="saved-funnels" aria-label="Saved funnels">
      {saved.length > 0 && (
        <ul>
          {saved.map(({ id, name: title, query }) => (
            <li key={id}>
              <a href={hrefOfSaved(project, query)}>{visible(title)}</a>
            </li>
          ))}
        </ul>
      )}
      {isWhole && (
        <form class="add-step" onSubmit={save}>
          <label>
            <span class="hidden">Name of this funnel</span>
            <input
              required
              maxLength={100}
              placeholder="Name of this funnel"
              value={name}
              onInput={({ currentTarget: { value } }) => setName(value)}
            />
          </label>
          <button type="submit" class="plain" disabled={act.isBusy}>
            Save funnel
          </button>
        </form>
      )}
      <FailureNote act={act} />
    </section>
  )
}
