import { type Answer, call } from '#dashboard/api'
import { visible } from '#dashboard/texts'
import { FailureNote, useAct } from './act.tsx'

type Props = {
  project: Pick<Answer<'GET /projects/{id}'>, 'id' | 'allowed_origins'>
  /** A visitor may have chosen it, so the button names it whole. */
  origin: string
  /** Called when the service has the change. */
  onAllowed?(): void
}

/** Lets the pages of an origin send events of the project. Nothing where they may already. */
export function AllowOrigin({ project: { id, allowed_origins }, origin, onAllowed }: Props) {
  const act = useAct()
  if (allowed_origins === '*' || allowed_origins.split(',').includes(origin)) return null
  const changes = { allowed_origins: `${allowed_origins},${origin}` }
  const allow = async () => {
    const changed = await act.run(call('PATCH /projects/{id}', changes, { id }), '/projects')
    if (changed !== null) onAllowed?.()
  }
  return (
    <>
      <button type="button" class="plain" disabled={act.isBusy} onClick={allow}>
        Allow {visible(origin)}
      </button>
      <FailureNote act={act} />
    </>
  )
}
