import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { dateLabel } from '#dashboard/format'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { type Context, changeContext, READS_OF_CONTEXT } from './change-context.ts'

type Annotation = Context['annotations'][number]

/** What happened when: releases, campaigns, outages. They stand on the time axes of the project. */
export function Annotations({
  project,
  answer,
}: {
  project: string
  answer: Known<Answer<'GET /project-context'>>
}) {
  return (
    <Panel title="Annotations">
      <p class="lead">They stand on the time axis of the charts, and agents read them with the numbers.</p>
      <Answered answer={answer}>
        {({ project_context }) => <AnnotationList project={project} context={project_context} />}
      </Answered>
    </Panel>
  )
}

function AnnotationList({ project, context }: { project: string; context: Context }) {
  const act = useAct()
  const [date, setDate] = useState('')
  const [title, setTitle] = useState('')
  const put = (annotations: Annotation[]) =>
    act.run(changeContext(project, context, { annotations }), ...READS_OF_CONTEXT)
  const add = async (event: Event) => {
    event.preventDefault()
    if (await put([...context.annotations, { occurred_at: date, title }])) {
      setDate('')
      setTitle('')
    }
  }
  return (
    <>
      <ul class="records" aria-label="Annotations">
        {context.annotations
          .toSorted((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1))
          .map(each => (
            <li key={`${each.occurred_at} ${each.title}`}>
              <span>
                <strong>{each.title}</strong>
                <small>{dateLabel(each.occurred_at.slice(0, 10), 'long')}</small>
              </span>
              <button
                type="button"
                class="quiet"
                disabled={act.isBusy}
                aria-label={`Delete ${each.title}`}
                onClick={() => put(context.annotations.filter(other => other !== each))}
              >
                Delete
              </button>
            </li>
          ))}
      </ul>
      <form class="form row" onSubmit={add}>
        <label>
          Date
          <input type="date" required value={date} onInput={event => setDate(event.currentTarget.value)} />
        </label>
        <label>
          What happened
          <input
            required
            maxLength={120}
            value={title}
            onInput={event => setTitle(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="plain" disabled={act.isBusy}>
          Add
        </button>
      </form>
      <FailureNote act={act} />
    </>
  )
}
