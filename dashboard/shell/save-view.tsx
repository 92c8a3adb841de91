import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { queryOf } from '#dashboard/saved'
import { conditionToStore, nameFor, type Segment, segmentsPath, storeSegment } from '#dashboard/segments'
import type { Address } from '#dashboard/url'

type Props = { address: Address; segments: readonly Segment[] }

/**
 * Keeps what is shown, filters and range included, by a name. The settings of the project list the names. The
 * filters also become a segment, which agents can ask for, unless the reader says no.
 */
export function SaveView({ address, segments }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [isSegment, setSegment] = useState(true)
  const act = useAct()
  useLayoutEffect(() => {
    if (isOpen) ref.current?.showModal()
  }, [isOpen])
  const id = address.project
  if (id === null) return null
  const where = conditionToStore(address, segments)
  const segment = nameFor(name, segments)
  const save = async (event: Event) => {
    event.preventDefault()
    const values = { name, query: queryOf(address) }
    const path = `/projects/${encodeURIComponent(id)}/views`
    // The view first: one that is refused leaves no segment behind.
    if ((await act.run(call('POST /projects/{id}/views', values, { id }), path)) === null) return
    if (where !== undefined && isSegment) {
      const stored = storeSegment(id, { name: segment, title: name, where })
      if ((await act.run(stored, segmentsPath(id))) === null) return
    }
    setOpen(false)
  }
  return (
    <>
      <button type="button" class="add" onClick={() => setOpen(true)}>
        Save view
      </button>
      {isOpen && (
        <dialog ref={ref} class="filter-form" aria-label="Save this view" onClose={() => setOpen(false)}>
          <form class="form" onSubmit={save}>
            <label>
              Name of the view
              <input
                autofocus
                required
                maxLength={100}
                value={name}
                onInput={event => setName(event.currentTarget.value)}
              />
            </label>
            {where !== undefined && (
              <label class="check">
                <input
                  type="checkbox"
                  checked={isSegment}
                  onChange={event => setSegment(event.currentTarget.checked)}
                />
                <span>
                  Keep its filters as a segment, too. Agents ask for it as <code>{segment}</code>
                </span>
              </label>
            )}
            <FailureNote act={act} />
            <button type="submit" class="primary" disabled={act.isBusy}>
              Save
            </button>
            <button type="button" class="plain" onClick={() => ref.current?.close()}>
              Cancel
            </button>
          </form>
        </dialog>
      )}
    </>
  )
}
