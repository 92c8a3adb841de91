import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { hrefOfSaved } from '#dashboard/saved'

type Views = Answer<'GET /projects/{id}/views'>

/** Addresses of this project that somebody has saved by a name. */
export function SavedViews({ project, answer }: { project: string; answer: Known<Views> }) {
  const act = useAct()
  const path = `/projects/${encodeURIComponent(project)}/views`
  return (
    <Panel title="Saved views">
      <Answered answer={answer}>
        {({ views }) =>
          views.length === 0 ? (
            <Empty title="None yet">Save view, beside the filters, keeps what you see by a name.</Empty>
          ) : (
            <ul class="records" aria-label="Saved views">
              {views.map(({ id, name, query }) => (
                <li key={id}>
                  <a href={hrefOfSaved(project, query)}>{name}</a>
                  <button
                    type="button"
                    class="quiet"
                    disabled={act.isBusy}
                    aria-label={`Delete the view ${name}`}
                    onClick={() =>
                      act.run(call('DELETE /projects/{id}/views/{view}', {}, { id: project, view: id }), path)
                    }
                  >
                    Delete
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <FailureNote act={act} />
    </Panel>
  )
}
