import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import { type Known, tryAgain } from '#dashboard/answers'
import type { Problem, ProblemKind } from '#dashboard/api'
import { type About, MoreTools } from '#dashboard/charts/save-tools.tsx'
import { formatted } from '#dashboard/format'
import { FewPeopleNote } from './few-people-note.tsx'
import { WhereFrom } from './question.tsx'

/** What a panel shows when there is no picture to show: waiting, nothing, or a problem with what to do. */

/** A shorter wait shows nothing at all, ms. */
const QUIET_MS = 200

/** True after a wait that people notice. */
export function useIsSlow(isWaiting: boolean): boolean {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    if (!isWaiting) {
      setSlow(false)
      return
    }
    const timer = setTimeout(() => setSlow(true), QUIET_MS)
    return () => clearTimeout(timer)
  }, [isWaiting])
  return isSlow
}

const TITLES: Record<ProblemKind, string> = {
  signed_out: 'Your session is over',
  no_right: 'You may not see this',
  plan: 'This is part of the Pro plan',
  limit: 'Too many reads',
  missing: 'This does not exist',
  input: 'The service cannot answer this',
  restarting: 'The service does not answer',
  offline: 'You are offline',
  failed: 'Something failed',
}

const ADVICE: Partial<Record<ProblemKind, ComponentChildren>> = {
  signed_out: 'Signing in brings you back here.',
  no_right: 'Somebody who may see it can share a link, or the owner can sign you in.',
  plan: <a href="/account/billing/agent-upgrade">Upgrade the account</a>,
  limit: 'Trying again by itself, in a while.',
  restarting: 'Trying again by itself.',
  offline: 'The numbers come when the connection is back.',
  missing: <a href="/app">All sites</a>,
}

/** What may be gone when it is asked again. A service that wants to rest is not asked sooner. */
const MAY_PASS: ReadonlySet<ProblemKind> = new Set(['restarting', 'offline', 'failed'])

type ProblemProps = {
  problem: Problem /** What it has failed, to be asked again. */
  failed: readonly Known[]
}

export function ProblemNote({ problem, failed }: ProblemProps) {
  return (
    <div class="note problem" role="alert">
      <strong>{TITLES[problem.kind]}</strong>
      <p>{problem.message}</p>
      {ADVICE[problem.kind] !== undefined && <p>{ADVICE[problem.kind]}</p>}
      {MAY_PASS.has(problem.kind) && (
        <p>
          <button
            type="button"
            class="plain"
            disabled={failed.some(({ isAsking }) => isAsking)}
            onClick={() => tryAgain(failed)}
          >
            Try again
          </button>
        </p>
      )}
    </div>
  )
}

/** The problem that the head of the view says for several of its panels; null without one. */
const SharedProblem = createContext<Problem | null>(null)

function isSame(a: Problem, b: Problem): boolean {
  return a.code === b.code && a.message === b.message
}

/**
 * A view with its answers. Where two or more have failed for one reason, the reason stands once above them,
 * with one button, and their panels only say that they have no numbers.
 */
export function WithProblems({
  answers,
  children,
}: {
  answers: readonly Known[]
  children: ComponentChildren
}) {
  const failed = answers.filter(({ problem }) => problem !== null)
  const of = (problem: Problem) =>
    failed.filter(each => each.problem !== null && isSame(each.problem, problem))
  const shared = failed.map(({ problem }) => problem as Problem).find(each => of(each).length > 1) ?? null
  return (
    <SharedProblem.Provider value={shared}>
      {shared !== null && <ProblemNote problem={shared} failed={of(shared)} />}
      {children}
    </SharedProblem.Provider>
  )
}

export function Empty({
  title = 'Nothing here yet',
  children,
}: {
  title?: string
  children?: ComponentChildren
}) {
  return (
    <div class="note empty">
      <strong>{title}</strong>
      {children !== undefined && <p>{children}</p>}
    </div>
  )
}

export type AnsweredProps<Data> = { answer: Known<Data>; children(data: Data): ComponentChildren }

/**
 * Draws the answer as soon as there is one. Until then nothing, then grey bars; and a problem where the last
 * try failed. A known answer stays while it is asked again.
 */
export function Answered<Data>({ answer, children }: AnsweredProps<Data>) {
  const { data, problem, isAsking } = answer
  const isSlow = useIsSlow(data === undefined && problem === null)
  const shared = useContext(SharedProblem)
  const isSaidAbove = shared !== null && problem !== null && isSame(problem, shared)
  if (data === undefined) {
    if (isSaidAbove) return <p class="cut">No numbers yet.</p>
    if (problem !== null) return <ProblemNote problem={problem} failed={[answer]} />
    return (
      <div class={isSlow ? 'skeleton slow' : 'skeleton'} aria-busy="true">
        <span class="hidden">Loading</span>
      </div>
    )
  }
  return (
    <div class="answered" aria-busy={isAsking ? 'true' : undefined}>
      {problem !== null && (
        <p class="stale">{isSaidAbove ? '' : `${problem.message} `}These numbers are from before.</p>
      )}
      <MoreTools.Provider value={(about: About) => <WhereFrom about={about} answer={answer} />}>
        {children(data)}
      </MoreTools.Provider>
      <FewPeopleNote data={data} />
    </div>
  )
}

/**
 * Says so when a limit or a cap has cut an answer. `shown`: how many of its rows the list shows. `isCounted`:
 * the list itself says how many rows there are.
 */
export function CutNote({
  answer,
  shown,
  isCounted = false,
}: {
  answer: Pick<Known, 'receipt' | 'data'>
  shown?: number
  isCounted?: boolean
}) {
  const data = answer.data as { truncated?: boolean; total_rows?: number } | undefined
  if (answer.receipt?.exact !== false && data?.truncated !== true) return null
  if (isCounted && data?.total_rows !== undefined) return null
  return (
    <p class="cut">
      {data?.total_rows === undefined
        ? 'A limit has cut this answer.'
        : `The first ${shown === undefined ? '' : `${formatted(shown)} `}of ${formatted(data.total_rows)} rows.`}
    </p>
  )
}
