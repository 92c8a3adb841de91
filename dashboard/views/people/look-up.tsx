import { useState } from 'preact/hooks'
import { type Answer, call } from '#dashboard/api'
import { go, hrefTo } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { datedOf } from '#dashboard/question'
import { type Address, ownValue, withOwn } from '#dashboard/url'

type Profiles = Answer<'POST /journey/lookup'>['profiles']

/** Finds a person by any of their ids, or by the address with which they were identified. */
export function LookUp({ address, project }: { address: Address; project: string }) {
  const act = useAct()
  const user = ownValue(address, 'user')
  const [typed, setTyped] = useState(user ?? '')
  const [found, setFound] = useState<Profiles | null>(null)
  const addressOf = (id: string) => withOwn(address, { user: [id], before: [], erasure: [] })
  const find = async (event: Event) => {
    event.preventDefault()
    const text = typed.trim()
    setFound(null)
    if (text === '') return
    if (!text.includes('@')) return go(addressOf(text))
    const asked = { project, ...datedOf(address), limit: 1 }
    const known = await act.run(call('POST /journey/lookup', { ...asked, email: text }))
    if (known === null) return
    const [only, ...others] = known.profiles
    if (only !== undefined && others.length === 0) return go(addressOf(only.user_id))
    if (only !== undefined) return setFound(known.profiles)
    // Some sites have addresses as ids. An address that nobody has must not come into the history.
    const byId = await act.run(call('POST /journey/lookup', { ...asked, user_id: text }))
    if (byId !== null && (byId.count > 0 || byId.profiles.length > 0)) return go(addressOf(text))
    if (byId !== null) setFound([])
  }
  return (
    <search class="look-up">
      <form onSubmit={find}>
        <label>
          Id or e-mail address of a person
          <input
            type="search"
            value={typed}
            maxLength={320}
            autocomplete="off"
            spellcheck={false}
            onInput={event => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={act.isBusy}>
          Look up
        </button>
        {user !== undefined && (
          <a class="back" href={hrefTo(withOwn(address, { user: [], before: [], from_first: [] }))}>
            All visitors
          </a>
        )}
      </form>
      <div role="status">
        {found?.length === 0 && (
          <p class="cut">
            Nobody has this address. Only visitors whom the site has identified by it are found.
          </p>
        )}
        {found !== null && found.length > 1 && (
          <>
            <p class="cut">{found.length} visitors have this address:</p>
            <ul class="records">
              {found.map(({ user_id: id }) => (
                <li key={id}>
                  <a href={hrefTo(addressOf(id))}>{id}</a>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <FailureNote act={act} />
    </search>
  )
}
