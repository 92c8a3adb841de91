import { useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Code } from '#dashboard/parts/question.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

/** The one key of the account. It is shown right after it was made, and kept nowhere. */
export function ApiKey({ answer }: { answer: Known<Answer<'GET /projects'>> }) {
  const act = useAct()
  const [key, setKey] = useState<string | null>(null)
  const [isSure, setSure] = useState(false)
  const issue = async (hasKey: boolean) => {
    const made = hasKey
      ? await act.run(call('POST /account/revoke-key', {}), '/projects', '/account')
      : await act.run(call('POST /account/api-key', {}), '/projects', '/account')
    setSure(false)
    if (made !== null) setKey(made.api_key)
  }
  return (
    <Panel title="API key">
      <p class="lead">
        Scripts send it in the header X-API-Key. It may do everything that you may, so keep it secret; agents
        should use a connection.
      </p>
      {key !== null && (
        <div class="once" role="status">
          <p>Copy the key now. Nobody can read it again.</p>
          <Code title="API key">{key}</Code>
        </div>
      )}
      <Answered answer={answer}>
        {({ has_api_key }) =>
          !has_api_key ? (
            <button type="button" class="primary" disabled={act.isBusy} onClick={() => issue(false)}>
              Create an API key
            </button>
          ) : isSure ? (
            <div class="sure" role="group" aria-label="Replace the API key">
              <p>The key that is in use stops working at once.</p>
              <button type="button" class="danger" disabled={act.isBusy} onClick={() => issue(true)}>
                Replace the key
              </button>
              <button type="button" class="plain" onClick={() => setSure(false)}>
                Keep it
              </button>
            </div>
          ) : (
            <button type="button" class="plain" onClick={() => setSure(true)}>
              Replace the API key …
            </button>
          )
        }
      </Answered>
      <FailureNote act={act} />
    </Panel>
  )
}
