import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { type Context, changeContext, READS_OF_CONTEXT } from './change-context.ts'

type Term = Context['glossary'][number]

/** As many as the service takes. */
const [MAX_GOALS, MAX_EVENTS, MAX_TERMS] = [5, 8, 10]
const NO_TERM: Term = { event_name: '', term: '', definition: '' }

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
        {({ project_id, project_context }) => (
          <NotesForm key={project_id} project={project} context={project_context} />
        )}
      </Answered>
    </Panel>
  )
}

function NotesForm({ project, context }: { project: string; context: Context }) {
  const act = useAct()
  const [goals, setGoals] = useState(context.goals.join('\n'))
  const [events, setEvents] = useState(context.activation_events.join('\n'))
  const [terms, setTerms] = useState<readonly Term[]>(context.glossary)
  const [isSaved, setSaved] = useState(false)
  const save = async (event: Event) => {
    event.preventDefault()
    const changes = { goals: linesOf(goals), activation_events: linesOf(events), glossary: [...terms] }
    setSaved((await act.run(changeContext(project, context, changes), ...READS_OF_CONTEXT)) !== null)
  }
  const change = (index: number, part: Partial<Term>) =>
    setTerms(terms.map((each, i) => (i === index ? { ...each, ...part } : each)))
  return (
    <form class="form" onSubmit={save} onInput={() => setSaved(false)}>
      <label>
        Goals
        <textarea rows={3} value={goals} onInput={event => setGoals(event.currentTarget.value)} />
        <small>One on each line, {MAX_GOALS} at most.</small>
      </label>
      <label>
        Events that count as success
        <textarea rows={3} value={events} onInput={event => setEvents(event.currentTarget.value)} />
        <small>One name on each line, {MAX_EVENTS} at most.</small>
      </label>
      {terms.map((term, i) => (
        <fieldset class="term" key={String(i)}>
          <legend>Word {i + 1}</legend>
          <input
            required
            aria-label={`Event of word ${i + 1}`}
            placeholder="Event"
            maxLength={96}
            value={term.event_name}
            onInput={event => change(i, { event_name: event.currentTarget.value })}
          />
          <input
            required
            aria-label={`Name of word ${i + 1}`}
            placeholder="What you call it"
            maxLength={64}
            value={term.term}
            onInput={event => change(i, { term: event.currentTarget.value })}
          />
          <input
            required
            aria-label={`Meaning of word ${i + 1}`}
            placeholder="What it means"
            maxLength={240}
            value={term.definition}
            onInput={event => change(i, { definition: event.currentTarget.value })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove word ${i + 1}`}
            onClick={() => {
              setTerms(terms.filter((_, other) => other !== i))
              setSaved(false)
            }}
          >
            Remove
          </button>
        </fieldset>
      ))}
      {terms.length < MAX_TERMS && (
        <button type="button" class="quiet" onClick={() => setTerms([...terms, NO_TERM])}>
          + A word of your own for an event
        </button>
      )}
      <FailureNote act={act} />
      <div class="sure">
        <button type="submit" class="primary" disabled={act.isBusy}>
          Save the goals and words
        </button>
        <span role="status">{isSaved && 'Saved'}</span>
      </div>
    </form>
  )
}

/** Lines with text. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
}
