import * as z from 'zod'
import { contextOfResponse } from './contexts.ts'
import { accountTz, labelledPeriod, oneOf, period, project, tz, wholeNumber } from './fields.ts'
import { cut, deltaMetric } from './sessions.ts'

/** The kinds of bots (docs/api/bots.md). */
export const BOT_CATEGORIES = [
  'ai_agent',
  'search_crawler',
  'social_preview',
  'seo_research',
  'headless_browser',
  'monitoring_perf',
  'automation_script',
  'generic_bot',
] as const
export type BotCategory = (typeof BOT_CATEGORIES)[number]

/**
 * What a crawler is for: it collects texts that models are trained with, it fills an index in which people
 * search later, or it fetches a page for a person who asks now.
 */
export const BOT_PURPOSES = ['train', 'index', 'fetch'] as const
export type BotPurpose = (typeof BOT_PURPOSES)[number]

/** GET /bot-traffic and GET /account/bot-traffic (docs/api/bots.md). */

const limit = (description: string) => wholeNumber('limit', 1, 50).default(10).meta({ description })

const category = oneOf('category', BOT_CATEGORIES)
  .optional()
  .meta({ description: 'Only this kind of bots, in all numbers' })
const purpose = z.enum(BOT_PURPOSES)

export const botTrafficQuery = z.object({
  project,
  period,
  tz,
  category,
  limit: limit('The largest number of actors'),
})
export const accountBotTrafficQuery = z.object({
  period,
  tz: accountTz,
  category,
  limit: limit('The largest number of projects'),
})

const counts = { requests: z.int(), dropped_events: z.int() }
const lastSeenAt = z.int().nullable().meta({ description: 'Unix ms; null without a request in the period' })
const sharePct = z.number().meta({ description: 'Share of the requests, 0 to 100' })

const overview = {
  period: labelledPeriod,
  categories: z.array(z.object({ category: z.string(), ...counts, share_pct: sharePct })),
  purposes: z.array(z.object({ purpose, ...counts, share_pct: sharePct })).meta({
    description: 'Of crawlers, since the release that stores it. Other bots have none',
  }),
  time_series: z.array(z.object({ date: z.string(), ...counts })),
  rules_version: z
    .string()
    .nullable()
    .meta({ description: 'The newest rules of the period. A change of rules may change the counts' }),
  ...cut,
}

const summary = {
  automated_requests: deltaMetric,
  dropped_events: deltaMetric,
  last_seen_at: lastSeenAt,
}

export const botTrafficResponse = z
  .object({
    scope: z.literal('project'),
    project: z.string(),
    summary: z.object(summary),
    actors: z.array(
      z.object({
        actor: z.string(),
        category: z.string(),
        purpose: purpose.nullable(),
        ...counts,
        last_seen_at: lastSeenAt,
      }),
    ),
    ...overview,
    ...contextOfResponse,
  })
  .meta({ id: 'BotTraffic' })

export const accountBotTrafficResponse = z
  .object({
    scope: z.literal('account'),
    summary: z.object({
      ...summary,
      active_projects: z.int().meta({ description: 'Projects with a request of a bot in the period' }),
      total_projects: z.int().meta({ description: 'Projects that are not deleted' }),
    }),
    projects: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        ...counts,
        share_pct: sharePct,
        last_seen_at: lastSeenAt,
      }),
    ),
    remaining_projects: z.int().meta({ description: 'Active projects beyond the limit' }),
    ...overview,
  })
  .meta({ id: 'AccountBotTraffic' })
