import { useState } from 'preact/hooks'
import { forget } from '#dashboard/answers'
import { type Call, Problem, send } from '#dashboard/api'

export type Act = {
  /** Sends a change, asks again what it has changed, and returns the answer; null when it failed. */
  run<Data>(change: Call<Data>, ...changed: string[]): Promise<Data | null>
  isBusy: boolean
  /** What went wrong with the last change; null after a good one. */
  failure: string | null
}

/** Changes that a person makes, one at a time. */
export function useAct(): Act {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  async function run<Data>(change: Call<Data>, ...changed: string[]): Promise<Data | null> {
    setBusy(true)
    setFailure(null)
    try {
      const { data } = await send(change)
      for (const path of changed) forget(path)
      return data
    } catch (error) {
      setFailure(error instanceof Problem ? error.message : String(error))
      return null
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, failure }
}

/** The sentence of a failed change, read aloud when it comes. */
export function FailureNote({ act: { failure } }: { act: Act }) {
  return (
    <p class="failure" role="alert">
      {failure}
    </p>
  )
}

/** Whether what the fields of a form show is saved. `changed` makes a setter of a field that says no. */
export function useSaved() {
  const [isSaved, setSaved] = useState(false)
  const changed =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value)
      setSaved(false)
    }
  return { isSaved, setSaved, changed }
}

/** The end of a form: why its last change failed, the button, and whether what it shows is saved. */
export function SaveRow({ act, isSaved, label }: { act: Act; isSaved: boolean; label: string }) {
  return (
    <>
      <FailureNote act={act} />
      <div class="sure">
        <button type="submit" class="primary" disabled={act.isBusy}>
          {label}
        </button>
        <span role="status">{isSaved && 'Saved'}</span>
      </div>
    </>
  )
}
