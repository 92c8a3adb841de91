import { useState } from 'preact/hooks'
import type { AnswersOf } from '#dashboard/answers'
import { go } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { ErasureReceipt } from '#dashboard/views/people/erasure-receipt.tsx'
import { ApiKey } from './api-key.tsx'
import { AuditLog } from './audit-log.tsx'
import { Connections } from './connections.tsx'
import { Plan } from './plan.tsx'
import type { AccountRequests } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<AccountRequests> }

/** What the account uses, who may act for it, and what was done. */
export function AccountView({ address, answers }: Props) {
  const { account, usage, sessions, projects, audit, erasure } = answers
  return (
    <>
      <div class="panels settings">
        <Plan account={account} usage={usage} />
        <div class="stack">
          <Connections answer={sessions} />
          <ApiKey answer={projects} />
        </div>
      </div>
      <AuditLog address={address} answer={audit} />
      <FindErasure key={ownValue(address, 'erasure')} address={address} />
      {erasure !== undefined && <ErasureReceipt answer={erasure} />}
    </>
  )
}

/** The service lists no erasures, because a receipt must not lead to a person. Who has the id reads it. */
function FindErasure({ address }: Pick<Props, 'address'>) {
  const [id, setId] = useState(ownValue(address, 'erasure') ?? '')
  return (
    <Panel title="Erasures" wide>
      <p class="lead">
        The view People erases a person. The id of the receipt stands there after it, and the answer to DELETE
        /users/{'{id}'} has it.
      </p>
      <form
        class="form row erasure-id"
        onSubmit={event => {
          event.preventDefault()
          go(withOwn(address, { erasure: [id.trim()] }))
        }}
      >
        <label>
          Id of the receipt
          <input
            required
            value={id}
            placeholder="era_…"
            autocomplete="off"
            onInput={event => setId(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="plain">
          Show
        </button>
      </form>
    </Panel>
  )
}
