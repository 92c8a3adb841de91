import { useEffect } from 'preact/hooks'
import { forget, type Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { formatted } from '#dashboard/format'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

/** How often an erasure that is not done yet is looked at, ms. It takes some minutes. */
const LOOK_MS = 5_000

const WORDS = {
  pending: 'The person is in no report any more. Their events are being removed from the files.',
  running: 'The person is in no report any more. Their events are being removed from the files.',
  done: 'No file has events of this person any more.',
}

/** How far an erasure is. The receipt names nobody. */
export function ErasureReceipt({ answer }: { answer: Known<Answer<'GET /erasures/{id}'>> }) {
  const status = answer.data?.status
  const { path } = answer.call
  useEffect(() => {
    if (status === 'done') return
    const timer = setInterval(() => forget(path), LOOK_MS)
    return () => clearInterval(timer)
  }, [status, path])
  return (
    <Panel title="Erasure">
      <Answered answer={answer}>
        {({ id, status: now, removed }) => (
          <>
            <p role="status">{WORDS[now]}</p>
            <dl class="facts">
              {(
                [
                  ['Receipt', id],
                  ['Status', now],
                  ['Events', formatted(removed.events)],
                  ['Sessions', formatted(removed.sessions)],
                  ['Replays', formatted(removed.replays)],
                ] as const
              ).map(([term, value]) => (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </Answered>
    </Panel>
  )
}
