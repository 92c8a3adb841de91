import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { dateLabel } from '#dashboard/format'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

type Context = Answer<'GET /project-context'>
type Annotation = Context['project_context']['annotations'][number]

/** What happened when: releases, campaigns, outages. They stand on the time axis of every chart. */
export function Annotations({ project, answer }: { project: string; answer: Known<Context> }) {
  return (
    <Panel title="Annotations">
      <p class="lead">They stand on the time axis of the charts, and agents read them with the numbers.</p>
      <Answered answer={answer}>
        {({ project_context }) => <AnnotationList project={project} context={project_context} />}
      </Answered>
    </Panel>
  )
}

function AnnotationList({ project, context }: { project: string; context: Context['project_context'] }) {
  const act = useAct()
  const [date, setDate] = useState('')
  const [title, setTitle] = useState('')
  /** A PUT replaces all lists, so the others go with it. */
  const put = (annotations: readonly Annotation[]) =>
    act.run(
      call('PUT /project-context', {
        project,
        goals: context.goals,
        activation_events: context.activation_events,
        glossary: context.glossary,
        annotations: annotations.map(({ occurred_at, title: text, note }) => ({
          ...{ occurred_at, title: text },
          ...(note != null && { note }),
        })),
      }),
      '/project-context',
      '/stats',
      '/query',
    )
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
