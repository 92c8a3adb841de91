import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { type Context, changeContext, READS_OF_CONTEXT } from '#dashboard/change-context'
import { dateLabel } from '#dashboard/format'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

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
        {({ project_context, etag }) => (
          <AnnotationList project={project} context={project_context} etag={etag} />
        )}
      </Answered>
    </Panel>
  )
}

function AnnotationList({ project, context, etag }: { project: string; context: Context; etag: string }) {
  const act = useAct()
  const [date, setDate] = useState('')
  const [title, setTitle] = useState('')
  /** One without an id is in the list of the context, which is replaced as a whole. */
  const remove = (annotation: Annotation) => {
    const annotations = context.annotations.filter(other => other !== annotation)
    return annotation.id == null
      ? act.run(changeContext(project, { context, etag }, { annotations }), ...READS_OF_CONTEXT)
      : act.run(
          call(
            'DELETE /projects/{id}/annotations/{annotation}',
            {},
            { id: project, annotation: annotation.id },
          ),
          ...READS_OF_CONTEXT,
        )
  }
  const add = async (event: Event) => {
    event.preventDefault()
    const created = call('POST /projects/{id}/annotations', { occurred_at: date, title }, { id: project })
    if (await act.run(created, ...READS_OF_CONTEXT)) {
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
            <li key={each.id ?? `${each.occurred_at} ${each.title}`}>
              <span>
                <strong>{each.title}</strong>
                <small>{dateLabel(each.occurred_at.slice(0, 10), 'long')}</small>
              </span>
              <button
                type="button"
                class="quiet"
                disabled={act.isBusy}
                aria-label={`Delete ${each.title}`}
                onClick={() => remove(each)}
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
