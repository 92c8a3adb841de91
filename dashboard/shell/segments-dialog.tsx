import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { go } from '#dashboard/navigate'
import { type Act, FailureNote, useAct } from '#dashboard/parts/act.tsx'
import {
  conditionToStore,
  nameFor,
  openSegment,
  type Segment,
  segmentsPath,
  storeSegment,
  withSegment,
} from '#dashboard/segments'
import { visible } from '#dashboard/texts'
import type { Address } from '#dashboard/url'
import { segmentTitle } from './filter-words.ts'

const MAX_TITLE = 100

type DialogProps = { address: Address; segments: readonly Segment[] }

/** Saves the filters of now as a segment of the project, and renames or deletes those that it has. */
export function SegmentsDialog({ address, segments }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  const act = useAct()
  useLayoutEffect(() => {
    if (isOpen) ref.current?.showModal()
  }, [isOpen])
  const { project, filters } = address
  // An open dialog stays where the last segment was deleted.
  const isEmpty = filters.length === 0 && segments.length === 0
  if (project === null || (isEmpty && !isOpen)) return null
  return (
    <>
      <button type="button" class="add" onClick={() => setOpen(true)}>
        {segments.length === 0 ? 'Save as segment' : 'Edit segments'}
      </button>
      {isOpen && (
        <dialog
          ref={ref}
          class="segments-dialog"
          aria-labelledby="segments-title"
          onClose={() => setOpen(false)}
        >
          <h2 id="segments-title">Segments</h2>
          <p class="lead">
            A segment keeps filters by a name. Agents and scripts ask for it by this name, and count the same
            visitors.
          </p>
          <NewSegment address={address} project={project} segments={segments} act={act} />
          <ul class="records" aria-label="Segments">
            {segments.map(segment => (
              <Stored
                key={segment.name}
                address={address}
                project={project}
                segment={segment}
                segments={segments}
                act={act}
              />
            ))}
          </ul>
          <FailureNote act={act} />
          <button type="button" class="plain" onClick={() => ref.current?.close()}>
            Close
          </button>
        </dialog>
      )}
    </>
  )
}

type NewProps = DialogProps & { project: string; act: Act }

function NewSegment({ address, project, segments, act }: NewProps) {
  const [title, setTitle] = useState('')
  const where = conditionToStore(address, segments)
  if (where === undefined) return <p class="cut">Add a filter first. Then it can be saved here.</p>
  const save = async (event: Event) => {
    event.preventDefault()
    const name = nameFor(title, segments)
    const isStored = await act.run(storeSegment(project, { name, title, where }), segmentsPath(project))
    if (isStored === null) return
    setTitle('')
    // What the filters have chosen until now, the segment chooses from now on.
    go(withSegment({ ...address, filters: [] }, name))
  }
  return (
    <form class="form" onSubmit={save}>
      <label>
        Name of a new segment with the filters of now
        <input
          required
          maxLength={MAX_TITLE}
          value={title}
          onInput={event => setTitle(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary" disabled={act.isBusy}>
        Save the filters
      </button>
    </form>
  )
}

type StoredProps = NewProps & { segment: Segment }

function Stored({ address, project, segment, segments, act }: StoredProps) {
  const { name, where, etag } = segment
  const title = segmentTitle(name, segments)
  const [typed, setTyped] = useState<string | null>(null)
  const [isSure, setSure] = useState(false)
  const path = segmentsPath(project)
  const rename = async (event: Event) => {
    event.preventDefault()
    if (typed === null) return
    const put = storeSegment(project, { name, title: typed, where: where as never })
    if ((await act.run({ ...put, ifMatch: etag }, path)) !== null) setTyped(null)
  }
  const remove = async () => {
    const done = await act.run(
      { ...call('DELETE /projects/{id}/segments/{name}', {}, { id: project, name }), ifMatch: etag },
      path,
    )
    if (done !== null && openSegment(address) === name) go(withSegment(address, null))
  }
  if (typed !== null)
    return (
      <li>
        <form class="form" onSubmit={rename}>
          <label>
            New name of {title}
            <input
              autofocus
              required
              maxLength={MAX_TITLE}
              value={typed}
              onInput={event => setTyped(event.currentTarget.value)}
            />
          </label>
          <div class="sure">
            <button type="submit" class="primary" disabled={act.isBusy}>
              Rename
            </button>
            <button type="button" class="plain" onClick={() => setTyped(null)}>
              Cancel
            </button>
          </div>
        </form>
      </li>
    )
  if (isSure)
    return (
      <li>
        <span>
          <strong>Delete {title}?</strong>
          <small>Agents and scripts that ask for {visible(name)} are refused then.</small>
        </span>
        <span class="sure">
          <button type="button" class="primary" disabled={act.isBusy} onClick={remove}>
            Delete it
          </button>
          <button type="button" class="plain" onClick={() => setSure(false)}>
            Keep it
          </button>
        </span>
      </li>
    )
  return (
    <li>
      <span>
        <strong>{title}</strong>
        <small>{visible(name)}</small>
      </span>
      <span class="sure">
        <button
          type="button"
          class="quiet"
          aria-label={`Rename the segment ${title}`}
          onClick={() => setTyped(segment.title ?? name)}
        >
          Rename
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`Delete the segment ${title}`}
          onClick={() => setSure(true)}
        >
          Delete
        </button>
      </span>
    </li>
  )
}
