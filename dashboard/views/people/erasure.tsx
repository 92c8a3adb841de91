import { useState } from 'preact/hooks'
import { type Answer, call } from '#dashboard/api'
import { formatted } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { type Address, DEFAULTS } from '#dashboard/url'

type Props = {
  user: string
  project: string
  address: Address
  dryRun: Answer<'DELETE /users/{id}'>
}

/** A person of more ids is erased only with their number: a link that was made by mistake has many. */
const UNCONFIRMED_IDS = 20

/** Erases a person, after what that covers has been shown and their id has been typed. */
export function Erasure({ user, project, address, dryRun: { count, events } }: Props) {
  const act = useAct()
  const [typed, setTyped] = useState('')
  const [confirmed, setConfirmed] = useState('')
  const needsCount = count > UNCONFIRMED_IDS
  const isReady = typed === user && (!needsCount || confirmed === String(count))
  const erase = async (event: Event) => {
    event.preventDefault()
    if (!isReady) return
    const values = { project, user_id: user, ...(needsCount && { confirm: count }) }
    const started = await act.run(
      call('DELETE /users/{id}', values, { id: '-' }),
      ...['/journey', '/sessions', '/query', '/stats', '/users', '/events'],
    )
    // With 202 the answer is the receipt; the table of routes names that of a dry run first.
    const { erasure_id: id } = (started ?? {}) as { erasure_id?: string }
    if (id !== undefined) go({ ...address, filters: [], own: { ...DEFAULTS.own, erasure: [id] } }, true)
  }
  return (
    <Panel title="Erase this person">
      <p class="lead">
        This removes {formatted(events)} {events === 1 ? 'event' : 'events'} of {formatted(count)}{' '}
        {count === 1 ? 'id' : 'ids'} from every report at once, then from every file. Saved views of the
        person go too. It cannot be undone.
      </p>
      <form class="form" onSubmit={erase}>
        <label>
          Type the id to erase the person
          <input
            value={typed}
            autocomplete="off"
            spellcheck={false}
            placeholder={user}
            onInput={event => setTyped(event.currentTarget.value)}
          />
        </label>
        {needsCount && (
          <label>
            Type {count}, the number of ids
            <input
              value={confirmed}
              inputMode="numeric"
              autocomplete="off"
              onInput={event => setConfirmed(event.currentTarget.value)}
            />
            <small>So many ids are often a link that was made by mistake.</small>
          </label>
        )}
        <FailureNote act={act} />
        <button type="submit" class="danger" disabled={act.isBusy || !isReady}>
          Erase the person
        </button>
      </form>
    </Panel>
  )
}
