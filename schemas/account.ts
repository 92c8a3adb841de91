import * as z from 'zod'
import { documentedAs } from './documented-as.ts'
import { wholeNumber } from './fields.ts'

/** The account, its usage, its audit log and feedback (docs/api/account.md). */

const tierLimits = z
  .object({
    max_events_per_month: z.int(),
    max_projects: z.int(),
    max_reads_per_month: z.int(),
    retention_days: z.int(),
    rate_limit_rpm: z.int(),
    max_full_scans_per_month: z.int(),
  })
  .meta({ id: 'TierLimits', description: '-1 means that there is no limit' })

const tier = z.enum(['free', 'pro'])

export const accountRecord = z
  .object({
    id: z.string(),
    email: z.string(),
    code_host_login: z.string().nullable(),
    github_login: z.string().nullable(),
    idp_name: z.string().nullable(),
    google_name: z.string().nullable(),
    tier,
    created_at: z.string().meta({ description: 'ISO 8601' }),
    projects_count: z.int(),
    tier_limits: tierLimits,
    monthly_spend_cap_dollars: z.number().nullable(),
  })
  .meta({ id: 'Account' })

export const accountUsage = z
  .object({
    version: z.literal(1),
    tier,
    entitlement_source: z.enum(['free', 'subscription', 'complimentary']),
    usage: z.object({
      total_events_this_month: z.int(),
      total_reads_this_month: z.int(),
      estimated_bill: z.number().meta({ description: 'Dollars' }),
    }),
    spend_cap: z.object({ monthly_spend_cap_dollars: z.number().nullable() }),
    tier_limits: tierLimits,
    payment: documentedAs(
      z.object({
        version: z.literal(1),
        state: z.enum(['upgrade_available', 'checkout_pending', 'setup_required', 'active']),
        agent_can_charge: z.literal(false),
        pricing: z.object({
          currency: z.literal('USD'),
          events_per_unit: z.int(),
          unit_price_cents: z.int(),
        }),
        next_action: z
          .object({ type: z.literal('open_browser'), url: z.string(), reason: z.string() })
          .nullable()
          .meta({ description: 'For the human: no permission to charge' }),
        polling: z.object({
          endpoint: z.literal('/account/usage'),
          interval_seconds: z.int(),
          max_wait_seconds: z.int(),
        }),
        status: z.object({ can_retry_pro_task: z.boolean() }),
      }),
      'object',
      '`state`, and `next_action` with an address for the human: no permission to charge',
    ),
  })
  .meta({ id: 'AccountUsage' })

function feedbackText(name: string, max: number) {
  const rule = `Field \`${name}\` takes a text of up to ${max} characters.`
  return z.string(rule).max(max, rule)
}

export const feedback = z.object({
  message: feedbackText('message', 4_000)
    .refine(text => text.trim() !== '', 'Field `message` is empty. Say what happened.')
    .meta({ description: 'A summary without secrets and customer data' }),
  project: feedbackText('project', 8_000).optional(),
  command: feedbackText('command', 8_000).optional(),
  context: feedbackText('context', 8_000).optional(),
})

export const issuedKey = z
  .object({ ok: z.literal(true).optional(), api_key: z.string().meta({ description: 'Shown once' }) })
  .meta({ id: 'IssuedApiKey' })

export const auditQuery = z.object({
  limit: wholeNumber('limit', 1, 1_000).default(100),
  before: z.string().optional().meta({ description: 'Cursor: next_before of the page before' }),
})

export const auditLog = z
  .object({
    entries: z.array(
      z.object({
        at: z.int().meta({ description: 'Unix ms' }),
        actor: z.object({ type: z.string(), id: z.string(), label: z.string().nullable() }),
        action: z.string(),
        route: z.string(),
        project: z.string().nullable(),
        status: z.int(),
      }),
    ),
    next_before: z.string().nullable(),
  })
  .meta({ id: 'AuditLog' })
