import type { ComponentChildren } from 'preact'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { dateLabel, formatted } from '#dashboard/format'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered } from '#dashboard/parts/states.tsx'

type Account = Answer<'GET /account'>
type Usage = Answer<'GET /account/usage'>
type Props = { account: Known<Account>; usage: Known<Usage> }

const PLANS = { free: 'Free', subscription: 'Pro', complimentary: 'Pro, without charge' }

/** Who the account is, what it has used this month, and what comes next. */
export function Plan({ account, usage }: Props) {
  return (
    <Panel title="Account and plan">
      <Answered answer={account}>
        {({ id, email, created_at }) => (
          <dl class="facts">
            <Fact term="E-mail">{email}</Fact>
            <Fact term="Since">{dateLabel(created_at.slice(0, 10), 'long')}</Fact>
            <Fact term="Id">
              <code>{id}</code>
            </Fact>
          </dl>
        )}
      </Answered>
      <Answered answer={usage}>{data => <Month data={data} count={account.data?.projects_count} />}</Answered>
      <p class="more">
        <a href="/settings">Add a way to sign in, or delete the account</a>
      </p>
    </Panel>
  )
}

function Month({ data, count }: { data: Usage; count: number | undefined }) {
  const { entitlement_source, tier_limits, payment, spend_cap } = data
  const { total_events_this_month: events, total_reads_this_month: reads, estimated_bill } = data.usage
  const cap = spend_cap.monthly_spend_cap_dollars
  return (
    <>
      <h3>{PLANS[entitlement_source]}, this month</h3>
      <ul class="meters" aria-label="Usage of this month">
        <Meter name="Events" used={events} most={tier_limits.max_events_per_month} />
        <Meter name="Reads" used={reads} most={tier_limits.max_reads_per_month} />
        {count !== undefined && <Meter name="Projects" used={count} most={tier_limits.max_projects} />}
      </ul>
      <dl class="facts">
        <Fact term="Events are kept">
          {tier_limits.retention_days === -1
            ? 'without an end'
            : `for ${formatted(tier_limits.retention_days)} days`}
        </Fact>
        {entitlement_source === 'subscription' && (
          <>
            <Fact term="Bill so far">${formatted(estimated_bill)}</Fact>
            <Fact term="Spend cap">
              <a href="/account/billing/spend-cap">{cap === null ? 'none' : `$${formatted(cap)}`}</a>
            </Fact>
          </>
        )}
      </dl>
      {payment.state === 'checkout_pending' && <p>A payment has begun and is not complete yet.</p>}
      {payment.next_action !== null && (
        <a class="primary" href={payment.next_action.url}>
          Upgrade to Pro
        </a>
      )}
    </>
  )
}

/** How much of a limit is used; -1: there is no limit. */
function Meter({ name, used, most }: { name: string; used: number; most: number }) {
  return (
    <li>
      <span>
        {name} <b>{formatted(used)}</b>
        <small> {most === -1 ? 'no limit' : `of ${formatted(most)}`}</small>
      </span>
      {most > 0 && (
        <span class="meter" aria-hidden="true">
          <span
            class={used >= most ? 'full' : undefined}
            style={{ inlineSize: `${Math.min(1, used / most) * 100}%` }}
          />
        </span>
      )}
    </li>
  )
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}
