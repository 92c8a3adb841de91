import { useEffect, useState } from 'preact/hooks'
import type { AnswersOf } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { agoLabel, dateLabel, formatted } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { lettersOf } from '#dashboard/parts/letters'
import { Panel } from '#dashboard/parts/panel.tsx'
import { RefusedEvents } from '#dashboard/parts/refused-events.tsx'
import { Snippet } from '#dashboard/parts/snippet.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { allZones } from '#dashboard/range'
import { DEFAULTS } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { Annotations } from './annotations.tsx'
import { ProjectNotes } from './project-notes.tsx'
import { ReplaySettings } from './replay-settings.tsx'
import type { SettingsRequests } from './requests.ts'
import { SavedViews } from './saved-views.tsx'
import { ShareLinks } from './share-links.tsx'

type Props = ViewContext & { answers: AnswersOf<SettingsRequests> }
type Project = Answer<'GET /projects/{id}'>

/** What a project is called, where its events may come from, and what its owner notes. */
export function Settings({ project, answers }: Props) {
  const { read, context, views, links, replays } = answers
  return (
    <div class="panels settings">
      <div class="stack">
        <Answered answer={read}>{data => <ProjectForm key={data.id} project={data} />}</Answered>
        <ProjectNotes project={project} answer={context} />
        <Annotations project={project} answer={context} />
      </div>
      <div class="stack">
        <Answered answer={read}>
          {data => (
            <Panel title="Snippet">
              <p class="lead">Put this line into the head of every page.</p>
              <Snippet project={data} />
              <p class="cut">
                To leave out your own visits, run <code>localStorage.aa_disabled = 'true'</code> in the
                console of the browser on a page of the site, once in each browser that you use.
              </p>
            </Panel>
          )}
        </Answered>
        <Answered answer={read}>
          {data =>
            data.refused.events.length > 0 && (
              <Panel title="Events that were not stored">
                <RefusedEvents project={data} />
              </Panel>
            )
          }
        </Answered>
        <SavedViews project={project} answer={views} />
        <ShareLinks project={project} answer={links} />
        <ReplaySettings project={project} answer={replays} />
        <Answered answer={read}>{data => <Removal project={data} />}</Answered>
      </div>
    </div>
  )
}

function ProjectForm({ project }: { project: Project }) {
  const act = useAct()
  const [name, setName] = useState(project.name)
  const [title, setTitle] = useState(project.display_name ?? '')
  const [origins, setOrigins] = useState(project.allowed_origins)
  // The list of refused events changes them, too, and the form must not save the list of before.
  useEffect(() => setOrigins(project.allowed_origins), [project.allowed_origins])
  const [domains, setDomains] = useState(project.link_domains.join(', '))
  const before = project.timezone ?? ''
  const [timezone, setTimezone] = useState(before)
  const zones = new Set([...(before === '' ? [] : [before]), ...allZones()])
  const isNamed = project.first_event_at !== null
  const save = async (event: Event) => {
    event.preventDefault()
    const changes = {
      ...(name !== project.name && { name }),
      ...(title.trim() !== (project.display_name ?? '') && { display_name: title.trim() }),
      ...(origins !== project.allowed_origins && { allowed_origins: origins }),
      ...(domains !== project.link_domains.join(', ') && { link_domains: hostsOf(domains) }),
      ...(timezone !== before && { timezone }),
    }
    if (Object.keys(changes).length === 0) return
    const changed = await act.run(call('PATCH /projects/{id}', changes, { id: project.id }), '/projects')
    if (changed !== null && changed.name !== project.name) {
      go({ area: 'account', view: 'settings', project: changed.name, ...DEFAULTS }, true)
    }
  }
  return (
    <Panel title="Project">
      <form class="form" onSubmit={save}>
        <label>
          Name
          <input
            value={name}
            disabled={isNamed}
            required
            {...lettersOf('project', 'Name of the project')}
            onInput={event => setName(event.currentTarget.value)}
          />
          {isNamed && <small>The name stays, because the first event has arrived.</small>}
        </label>
        <label>
          Display name
          <input
            value={title}
            placeholder={project.name}
            {...lettersOf('title', 'Display name')}
            onInput={event => setTitle(event.currentTarget.value)}
          />
          <small>What people read in the dashboard and in its files. Addresses keep the name.</small>
        </label>
        <label>
          Origins that may send events
          <input value={origins} onInput={event => setOrigins(event.currentTarget.value)} />
          <small>Separated by commas, each with its scheme and host. * is every origin.</small>
        </label>
        <label>
          Other domains with the same people
          <input
            value={domains}
            placeholder="shop.example, blog.example"
            onInput={event => setDomains(event.currentTarget.value)}
          />
          <small>
            Hosts, separated by commas. The tracker carries the visitor over to them; their projects and this
            one need a <a href="/app/portfolios">portfolio</a>.
          </small>
        </label>
        <label>
          Time zone
          <select value={timezone} onChange={event => setTimezone(event.currentTarget.value)}>
            <option value="">None</option>
            {[...zones].map(zone => (
              <option key={zone} value={zone}>
                {zone.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
          <small>
            Days and hours of everybody who chooses no other zone. Without one agents count in UTC, and the
            dashboard in the zone of its reader.
          </small>
        </label>
        <dl class="facts">
          <div>
            <dt>Created</dt>
            <dd>{dateLabel(project.created_at.slice(0, 10), 'long')}</dd>
          </div>
          <div>
            <dt>Events</dt>
            <dd>{formatted(project.total_events)}</dd>
          </div>
          <div>
            <dt>Last event</dt>
            <dd>
              {project.last_event_at === null ? 'none yet' : agoLabel(Date.parse(project.last_event_at))}
            </dd>
          </div>
        </dl>
        <FailureNote act={act} />
        <button type="submit" class="primary" disabled={act.isBusy}>
          Save
        </button>
      </form>
    </Panel>
  )
}

function hostsOf(text: string): string[] {
  return text
    .split(',')
    .map(host => host.trim())
    .filter(host => host !== '')
}

function Removal({ project: { id, name } }: { project: Project }) {
  const act = useAct()
  const [typed, setTyped] = useState('')
  const remove = async (event: Event) => {
    event.preventDefault()
    if (typed !== name) return
    const removed = await act.run(
      call('DELETE /projects/{id}', {}, { id }),
      '/projects',
      '/account/all-sites',
    )
    if (removed !== null) go({ area: 'account', view: 'sites', project: null, ...DEFAULTS })
  }
  return (
    <Panel title="Delete the project">
      <form class="form" onSubmit={remove}>
        <label>
          Type {name} to delete it
          <input value={typed} autocomplete="off" onInput={event => setTyped(event.currentTarget.value)} />
          <small>Its events stop at once. The data goes after 30 days.</small>
        </label>
        <FailureNote act={act} />
        <button type="submit" class="danger" disabled={act.isBusy || typed !== name}>
          Delete the project
        </button>
      </form>
    </Panel>
  )
}
