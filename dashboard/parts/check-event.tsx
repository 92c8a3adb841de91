import { useState } from 'preact/hooks'
import { type Answer, call } from '#dashboard/api'
import { typedOrigin } from '#dashboard/site-address'
import { FailureNote, useAct } from './act.tsx'
import { AllowOrigin } from './allow-origin.tsx'

type Project = Pick<Answer<'GET /projects/{id}'>, 'id' | 'allowed_origins' | 'project_token'>

/** What the service would do with a page view of `origin`. */
type Checked = { origin: string; verdict: Answer<'POST /track/check'> }

/**
 * Requests what would happen to a page view of an address (U114), before a page has sent one. Nothing is
 * stored.
 */
export function CheckEvent({ project }: { project: Project }) {
  const { allowed_origins, project_token: token } = project
  const act = useAct()
  const [site, setSite] = useState(allowed_origins === '*' ? '' : (allowed_origins.split(',')[0] ?? ''))
  const [checked, setChecked] = useState<Checked | null>(null)
  const ask = async (origin: string) => {
    const verdict = await act.run(call('POST /track/check', { token, event: 'page_view', origin }))
    setChecked(verdict && { origin, verdict })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const origin = typedOrigin(site)
    if (origin !== null) ask(origin)
  }
  return (
    <form class="form check-event" onSubmit={submit}>
      <label>
        Address of a page
        <input
          value={site}
          required
          placeholder="shop.example/cart"
          inputMode="url"
          onInput={event => {
            const input = event.currentTarget
            input.setCustomValidity(typedOrigin(input.value) === null ? NO_ADDRESS : '')
            setSite(input.value)
          }}
        />
        <small>The service says what it would do with a page view of it. Nothing is stored.</small>
      </label>
      <button type="submit" class="plain" disabled={act.isBusy}>
        Check
      </button>
      <FailureNote act={act} />
      <div role="status">
        {checked !== null && (
          <Verdict project={project} checked={checked} onAllowed={() => ask(checked.origin)} />
        )}
      </div>
    </form>
  )
}

const NO_ADDRESS = 'Write an address such as shop.example/cart: a host, with letters, digits and dots.'

type VerdictProps = { project: Project; checked: Checked; onAllowed(): void }

function Verdict({ project, checked: { origin, verdict }, onAllowed }: VerdictProps) {
  if (verdict.would === 'store')
    return <p>A page view of {origin} would be stored. Its page needs the tag.</p>
  return (
    <>
      <p>
        A page view of {origin} would not be stored. {verdict.message}
      </p>
      {verdict.reason === 'origin' && <AllowOrigin project={project} origin={origin} onAllowed={onAllowed} />}
    </>
  )
}
