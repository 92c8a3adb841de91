import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { agoLabel, dateLabel, formatted } from '#dashboard/format'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Code } from '#dashboard/parts/question.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { TITLES } from '#dashboard/titles'
import type { SharedView } from '#schemas/share-links'

type Links = Answer<'GET /projects/{id}/share-links'>
type Link = Links['share_links'][number]
type Props = { project: string; answer: Known<Links> }

/** The views that a link can show, in the order in which the form lists them. */
const { overview, pages, sources, funnel, retention, paths, heatmap, events, bots } = TITLES
const SHARED: Record<SharedView, string> = {
  ...{ overview, pages, sources, funnel, retention, paths, heatmap, events, bots },
}
const NAMES = Object.keys(SHARED) as SharedView[]

/** How long a link lives, days; 0: until it is deleted. */
const LIVES = { 0: 'Until it is deleted', 7: '7 days', 30: '30 days', 90: '90 days', 365: 'A year' } as const
const DAY_MS = 86_400_000

/** Links that let anybody look at chosen views, without an account and without people. */
export function ShareLinks({ project, answer }: Props) {
  const act = useAct()
  const [url, setUrl] = useState<string | null>(null)
  const path = `/projects/${encodeURIComponent(project)}/share-links`
  const remove = (link: string) =>
    act.run(call('DELETE /projects/{id}/share-links/{link}', {}, { id: project, link }), path)
  return (
    <Panel title="Share links">
      <p class="lead">
        Whoever has a link sees the chosen views and changes nothing. It never shows people, sessions or
        single events.
      </p>
      <Answered answer={answer}>
        {({ share_links, statements_today, statements_per_day }) => (
          <>
            <ul class="records" aria-label="Share links">
              {share_links.map(link => (
                <li key={link.id}>
                  <span>
                    <strong>{labelOf(link)}</strong>
                    <small>{viewsOf(link)}</small>
                    <small>{lifeOf(link)}</small>
                  </span>
                  <button
                    type="button"
                    class="quiet"
                    disabled={act.isBusy}
                    aria-label={`Delete the link ${labelOf(link)}`}
                    onClick={() => remove(link.id)}
                  >
                    Delete
                  </button>
                </li>
              ))}
            </ul>
            {share_links.length > 0 && statements_today !== null && statements_per_day !== null && (
              <p class="lead">
                {statements_today >= statements_per_day
                  ? `The links have used up the ${formatted(statements_per_day)} statements of today. They answer again after midnight UTC.`
                  : `The links have used ${formatted(statements_today)} of the ${formatted(statements_per_day)} statements of today (UTC).`}
              </p>
            )}
          </>
        )}
      </Answered>
      {url !== null && (
        <div class="once" role="status">
          <p>Copy the address now. Nobody can read it again.</p>
          <Code title="Address">{url}</Code>
        </div>
      )}
      <NewLink project={project} path={path} onCreated={setUrl} />
      <FailureNote act={act} />
    </Panel>
  )
}

type NewLinkProps = { project: string; path: string; onCreated(url: string): void }

function NewLink({ project, path, onCreated }: NewLinkProps) {
  const act = useAct()
  const [label, setLabel] = useState('')
  const [chosen, setChosen] = useState<readonly SharedView[]>(['overview'])
  const [days, setDays] = useState(0)
  const create = async (event: Event) => {
    event.preventDefault()
    const values = {
      ...(label !== '' && { label }),
      ...(days > 0 && { expires_at: Date.now() + days * DAY_MS }),
      views: [...chosen],
    }
    const created = await act.run(call('POST /projects/{id}/share-links', values, { id: project }), path)
    if (created === null) return
    onCreated(created.url)
    setLabel('')
  }
  return (
    <form class="form" onSubmit={create}>
      <label>
        For whom
        <input value={label} maxLength={100} onInput={event => setLabel(event.currentTarget.value)} />
      </label>
      <fieldset class="choices">
        <legend>Views</legend>
        {NAMES.map(name => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                // In the order of the table, whatever was clicked first: the first one opens.
                setChosen(NAMES.filter(each => (each === name ? checked : chosen.includes(each))))
              }
            />
            {SHARED[name]}
          </label>
        ))}
      </fieldset>
      <label>
        Works
        <select value={String(days)} onChange={event => setDays(Number(event.currentTarget.value))}>
          {Object.entries(LIVES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <FailureNote act={act} />
      <button type="submit" class="primary" disabled={act.isBusy || chosen.length === 0}>
        Create a link
      </button>
    </form>
  )
}

function labelOf({ label, created_at }: Link): string {
  return label ?? `Link of ${dayOf(created_at)}`
}

function viewsOf({ views }: Link): string {
  return views.map(name => SHARED[name]).join(', ')
}

function lifeOf({ created_at, expires_at, last_used_at }: Link): string {
  const end = expires_at === null ? 'until it is deleted' : `until ${dayOf(expires_at)}`
  const use = last_used_at === null ? 'never used' : `last used ${agoLabel(last_used_at)}`
  return `Since ${dayOf(created_at)}, ${end}, ${use}`
}

function dayOf(time: number): string {
  return dateLabel(new Date(time).toISOString().slice(0, 10), 'long')
}
