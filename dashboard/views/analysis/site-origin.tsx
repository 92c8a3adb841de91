import { type Answer, call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'

type Scan = Answer<'GET /website-scans/{id}'>

/** Where the site is, if its project refuses events from there, and the change that takes them (U117). */
export function SiteOrigin({ scan: { site_origin, project_id } }: { scan: Scan }) {
  const act = useAct()
  if (site_origin === null || site_origin.change === null || project_id === null) return null
  const { origin, change } = site_origin
  const allow = () =>
    act.run(call('PATCH /projects/{id}', change.body, { id: project_id }), '/projects', '/website-scans')
  return (
    <Panel title="Events from this site are refused">
      <p class="lead">
        The site is at {origin}, and the origins of the project lack it. The tracker would send events that
        are all refused with 403.
      </p>
      <FailureNote act={act} />
      <button type="button" class="primary" disabled={act.isBusy} onClick={allow}>
        Allow {origin}
      </button>
    </Panel>
  )
}
