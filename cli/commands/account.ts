import { callCommand } from '#cli/command'
import type { Block } from '#cli/print/blocks'
import { formatted } from '#cli/print/format'
import type { SavedSession } from '#cli/session/stored-session'

export const whoami = callCommand<'GET /account'>({
  name: 'whoami',
  group: 'Account',
  args: [],
  flags: [],
  summary: 'The signed-in account',
  example: '--demo whoami',
  call: () => ({ endpoint: 'GET /account' }),
  print: (answer, { stored }) => [
    {
      kind: 'facts',
      facts: [
        ['Account', answer.email],
        ['Signed in by', answer.code_host_login ?? answer.idp_name],
        ['Tier', answer.tier],
        ['Projects', answer.projects_count, 'count'],
        ['Spend cap', dollars(answer.monthly_spend_cap_dollars)],
        ...expiries(stored()),
      ],
    },
  ],
})

export const accountUsage = callCommand<'GET /account/usage'>({
  name: 'account-usage',
  group: 'Account',
  args: [],
  flags: [],
  summary: 'The plan, the usage of this month, and what a human can do about the limits',
  example: '--demo account-usage',
  call: () => ({ endpoint: 'GET /account/usage' }),
  print: ({ tier, entitlement_source, usage, spend_cap, tier_limits, payment }) => [
    {
      kind: 'facts',
      facts: [
        ['Plan', `${tier} (${entitlement_source})`],
        ['Events this month', ofLimit(usage.total_events_this_month, tier_limits.max_events_per_month)],
        ['Reads this month', ofLimit(usage.total_reads_this_month, tier_limits.max_reads_per_month)],
        ['Estimated bill', dollars(usage.estimated_bill)],
        ['Spend cap', dollars(spend_cap.monthly_spend_cap_dollars)],
        ['Payment', payment.state.replaceAll('_', ' ')],
      ],
    },
    ...humanLink(payment.next_action),
  ],
})

function expiries(session: SavedSession | undefined) {
  if (session === undefined) return []
  return [
    ['Token until (UTC)', session.access_expires_at, 'time'],
    ['Session until (UTC)', session.refresh_expires_at, 'time'],
  ] as const
}

function humanLink(action: { url: string; reason: string } | null): Block[] {
  return action === null
    ? []
    : [
        {
          kind: 'facts',
          facts: [
            ['For the human', action.url],
            ['Why', action.reason],
          ],
        },
      ]
}

function ofLimit(used: number, limit: number): string {
  const shown = formatted(used, 'count')
  return limit === -1 ? `${shown}, no limit` : `${shown} of ${formatted(limit, 'count')}`
}

function dollars(amount: number | null): string {
  return amount === null ? 'none' : `$${amount}`
}
