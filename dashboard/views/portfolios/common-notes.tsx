import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { SaveRow, useAct, useSaved } from '#dashboard/parts/act.tsx'
import { EntryList } from '#dashboard/parts/entry-list.tsx'
import { LinesField, linesOf } from '#dashboard/parts/lines-field.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { titleOf } from '#dashboard/project-names'

type Context = Answer<'GET /portfolio-context'>['portfolio_context']
type Projects = Answer<'GET /projects'>['projects']

/** As many as the service takes. */
const [MAX_GOALS, MAX_MILESTONES, MAX_ROLES, MAX_TERMS] = [5, 8, 20, 10]

type Role = { project_id: string; role: string }
type Term = { term: string; definition: string; event_name: string }
const NO_ROLE: Role = { project_id: '', role: '' }
const NO_TERM: Term = { term: '', definition: '', event_name: '' }

type Props = { answer: Known<Answer<'GET /portfolio-context'>>; projects: Projects }

/** What the owner says about all projects together. It is one for the account. */
export function CommonNotes({ answer, projects }: Props) {
  return (
    <Panel title="What all projects have in common">
      <p class="lead">
        Goals and words of the whole account. Agents read them with <code>GET /portfolio-context</code>.
      </p>
      <Answered answer={answer}>
        {({ portfolio_context, etag }) => (
          <NotesForm context={portfolio_context} etag={etag} projects={projects} />
        )}
      </Answered>
    </Panel>
  )
}

type FormProps = { context: Context; etag: string; projects: Projects }

function NotesForm({ context, etag, projects }: FormProps) {
  const act = useAct()
  /** The version that the fields began with. */
  const [begun, setBegun] = useState(etag)
  const [goals, setGoals] = useState(context.goals.join('\n'))
  const [milestones, setMilestones] = useState(context.shared_milestones.join('\n'))
  const [roles, setRoles] = useState<readonly Role[]>(
    context.surface_roles.map(({ project_id, role }) => ({ project_id: project_id ?? '', role })),
  )
  const [terms, setTerms] = useState<readonly Term[]>(
    context.glossary.map(({ term, definition, event_name }) => ({
      term,
      definition,
      event_name: event_name ?? '',
    })),
  )
  const { isSaved, setSaved, changed } = useSaved()
  const save = async (event: Event) => {
    event.preventDefault()
    const values = {
      goals: linesOf(goals),
      shared_milestones: linesOf(milestones),
      surface_roles: [...roles],
      glossary: terms.map(({ event_name, ...term }) => ({
        ...term,
        ...(event_name !== '' && { event_name }),
      })),
    }
    const put = { ...call('PUT /portfolio-context', values), ifMatch: begun }
    const saved = await act.run(put, '/portfolio-context')
    if (saved !== null) setBegun(saved.etag)
    setSaved(saved !== null)
  }
  return (
    <form class="form" onSubmit={save}>
      <LinesField
        label="Goals"
        value={goals}
        change={changed(setGoals)}
        note={`One on each line, ${MAX_GOALS} at most.`}
      />
      <LinesField
        label="Milestones that all projects lead to"
        value={milestones}
        change={changed(setMilestones)}
        note={`One event on each line, ${MAX_MILESTONES} at most.`}
      />
      <EntryList
        title="Role"
        fields={[
          {
            name: 'project_id',
            label: 'Project',
            choices: projects.map(({ id, name }) => [id, titleOf(name)]),
          },
          { name: 'role', label: 'Text', placeholder: 'What it is for, such as shop', max: 64 },
        ]}
        entries={roles}
        change={changed(setRoles)}
        blank={NO_ROLE}
        max={MAX_ROLES}
        add="What a project is for"
      />
      <EntryList
        title="Word"
        fields={[
          { name: 'term', label: 'Name', placeholder: 'The word', max: 64 },
          {
            name: 'event_name',
            label: 'Event',
            placeholder: 'Event, if any',
            max: 96,
            isOptional: true,
          },
          { name: 'definition', label: 'Meaning', placeholder: 'What it means', max: 240 },
        ]}
        entries={terms}
        change={changed(setTerms)}
        blank={NO_TERM}
        max={MAX_TERMS}
        add="A word of all projects"
      />
      <SaveRow act={act} isSaved={isSaved} label="Save what is common" />
    </form>
  )
}
