import { useState } from 'preact/hooks'
import { type Answer, call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Members } from './members.tsx'

type Portfolio = Answer<'GET /portfolios'>['portfolios'][number]
type Props = { portfolio: Portfolio; names: readonly string[] }

/** A portfolio: its name, its projects, and its end. */
export function OnePortfolio({ portfolio, names }: Props) {
  const { id, slug, name: before, members } = portfolio
  const act = useAct()
  const [name, setName] = useState(before)
  const [chosen, choose] = useState<readonly string[]>(members.map(({ project }) => project))
  const [canMove, setMove] = useState(false)
  const [isSure, setSure] = useState(false)
  const save = async (event: Event) => {
    event.preventDefault()
    const values = { name, projects: [...chosen], allow_move: canMove }
    const changed = call('PATCH /portfolios/{idOrSlug}', values, { idOrSlug: id })
    if (await act.run(changed, '/portfolios')) setMove(false)
  }
  const remove = () =>
    act.run(call('DELETE /portfolios/{idOrSlug}', {}, { idOrSlug: id }), '/portfolios', '/portfolio-context')
  return (
    // Two portfolios may have one name.
    <Panel title={`${before} (${slug})`}>
      <form class="form" onSubmit={save}>
        <label>
          Name
          <input
            required
            maxLength={128}
            value={name}
            onInput={event => setName(event.currentTarget.value)}
          />
        </label>
        <Members names={names} chosen={chosen} choose={choose} canMove={canMove} setMove={setMove} />
        <FailureNote act={act} />
        <div class="sure">
          <button type="submit" class="primary" disabled={act.isBusy}>
            Save
          </button>
          {!isSure && (
            <button type="button" class="plain" onClick={() => setSure(true)}>
              Delete …
            </button>
          )}
        </div>
      </form>
      {isSure && (
        <div class="sure" role="group" aria-label={`Delete ${before}`}>
          <p>The projects and their data stay. Their people are counted apart again.</p>
          <button type="button" class="danger" disabled={act.isBusy} onClick={remove}>
            Delete the portfolio
          </button>
          <button type="button" class="plain" onClick={() => setSure(false)}>
            Keep it
          </button>
        </div>
      )}
    </Panel>
  )
}
