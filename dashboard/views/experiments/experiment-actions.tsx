import { useRef, useState } from 'preact/hooks'
import { call } from '#dashboard/api'
import { go } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import type { Address } from '#dashboard/url'
import type { Experiment } from './experiment.ts'

type Props = { address: Address; experiment: Experiment }

/** Pause, resume, complete, delete. What cannot be taken back is asked first. */
export function ExperimentActions({ address, experiment }: Props) {
  const { id, name, status } = experiment
  const act = useAct()
  const toComplete = useRef<HTMLDialogElement>(null)
  const toDelete = useRef<HTMLDialogElement>(null)
  const setStatus = (next: 'active' | 'paused') =>
    act.run(call('PATCH /experiments/{id}', { status: next }, { id }), '/experiments')
  const remove = async () => {
    const removed = await act.run(call('DELETE /experiments/{id}', {}, { id }), '/experiments')
    if (removed !== null) go({ ...address, own: {} }, true)
    else toDelete.current?.close()
  }
  return (
    <div class="experiment-actions">
      {status === 'active' && (
        <button type="button" class="plain" disabled={act.isBusy} onClick={() => setStatus('paused')}>
          Pause
        </button>
      )}
      {status === 'paused' && (
        <button type="button" class="plain" disabled={act.isBusy} onClick={() => setStatus('active')}>
          Resume
        </button>
      )}
      {status !== 'completed' && (
        <button type="button" class="plain" onClick={() => toComplete.current?.showModal()}>
          Complete …
        </button>
      )}
      <button type="button" class="danger" onClick={() => toDelete.current?.showModal()}>
        Delete …
      </button>
      <FailureNote act={act} />

      <dialog ref={toComplete} aria-labelledby="complete-title">
        <Completion
          experiment={experiment}
          isBusy={act.isBusy}
          close={() => toComplete.current?.close()}
          complete={async winner => {
            await act.run(
              call('PATCH /experiments/{id}', { status: 'completed', winner }, { id }),
              '/experiments',
            )
            toComplete.current?.close()
          }}
        />
      </dialog>

      <dialog ref={toDelete} aria-labelledby="delete-title">
        <h2 id="delete-title">Delete {name}?</h2>
        <p>Its results go, and pages show their own texts. Its events stay.</p>
        <footer>
          <button type="button" class="plain" onClick={() => toDelete.current?.close()}>
            Keep it
          </button>
          <button type="button" class="danger" disabled={act.isBusy} onClick={remove}>
            Delete {name}
          </button>
        </footer>
      </dialog>
    </div>
  )
}

type CompletionProps = {
  experiment: Experiment
  isBusy: boolean
  close(): void
  complete(winner: string): void
}

function Completion({ experiment: { name, variants, results }, isBusy, close, complete }: CompletionProps) {
  const best = variants.toSorted(
    (a, b) => (results.probability_best[b.key] ?? 0) - (results.probability_best[a.key] ?? 0),
  )[0]
  const [winner, setWinner] = useState(best?.key ?? '')
  return (
    <>
      <h2 id="complete-title">Complete {name}?</h2>
      <p>A completed experiment is final: it cannot be resumed, and its results end now.</p>
      <label>
        Winner{' '}
        <select value={winner} onChange={({ currentTarget }) => setWinner(currentTarget.value)}>
          {variants.map(({ key }) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </select>
      </label>
      <footer>
        <button type="button" class="plain" onClick={close}>
          Not yet
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={() => complete(winner)}>
          Complete {name}
        </button>
      </footer>
    </>
  )
}
