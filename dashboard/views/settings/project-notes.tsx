import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { type Context, changeContext, READS_OF_CONTEXT } from '#dashboard/change-context'
import { SaveRow, useAct, useSaved } from '#dashboard/parts/act.tsx'
import { type EntryField, EntryList } from '#dashboard/parts/entry-list.tsx'
import { LinesField, linesOf } from '#dashboard/parts/lines-field.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

type Term = Context['glossary'][number]

/** As many as the service takes. */
const [MAX_GOALS, MAX_EVENTS, MAX_TERMS] = [5, 8, 10]
const NO_TERM: Term = { event_name: '', term: '', definition: '' }
const TERM_FIELDS: readonly EntryField[] = [
  { name: 'event_name', label: 'Event', placeholder: 'Event', max: 96 },
  { name: 'term', label: 'Name', placeholder: 'Your word', max: 64 },
  { name: 'definition', label: 'Meaning', placeholder: 'What it means', max: 240 },
]

/** What the owner says about the numbers: goals, events that count as success, words. */
export function ProjectNotes({
  project,
  answer,
}: {
  project: string
  answer: Known<Answer<'GET /project-context'>>
}) {
  return (
    <Panel title="Goals and words">
      <p class="lead">Agents read them with the numbers. Share links do not show them.</p>
      <Answered answer={answer}>
        {({ project_id, project_context, etag }) => (
          <NotesForm key={project_id} project={project} context={project_context} etag={etag} />
        )}
      </Answered>
    </Panel>
  )
}

function NotesForm({ project, context, etag }: { project: string; context: Context; etag: string }) {
  const act = useAct()
  /** What the fields began with. A version that differs only in annotations is no other one for this form. */
  const [begun, setBegun] = useState({ notes: notesOf(context), etag })
  const [goals, setGoals] = useState(context.goals.join('\n'))
  const [events, setEvents] = useState(context.activation_events.join('\n'))
  const [terms, setTerms] = useState<readonly Term[]>(context.glossary)
  const { isSaved, setSaved, changed } = useSaved()
  const save = async (event: Event) => {
    event.preventDefault()
    const changes = { goals: linesOf(goals), activation_events: linesOf(events), glossary: [...terms] }
    const known = { context, etag: notesOf(context) === begun.notes ? etag : begun.etag }
    const saved = await act.run(changeContext(project, known, changes), ...READS_OF_CONTEXT)
    if (saved !== null) setBegun({ notes: notesOf(saved.project_context), etag: saved.etag })
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
        label="Events and pages that count as success"
        value={events}
        change={changed(setEvents)}
        note={`One on each line, ${MAX_EVENTS} at most: signup, or a page such as /thanks or /docs/**.`}
      />
      <EntryList
        title="Word"
        fields={TERM_FIELDS}
        entries={terms}
        change={changed(setTerms)}
        blank={NO_TERM}
        max={MAX_TERMS}
        add="A word of your own for an event"
      />
      <SaveRow act={act} isSaved={isSaved} label="Save the goals and words" />
    </form>
  )
}

/** The lists of the form, as one text. */
function notesOf({ goals, activation_events, glossary }: Context): string {
  return JSON.stringify([goals, activation_events, glossary])
}
