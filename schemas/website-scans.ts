import * as z from 'zod'
import { documentedAs } from './documented-as.ts'
import { refusalReason } from './refusals.ts'

/**
 * What a website analysis says (docs/website-analysis.md). The words of a page are in fields named `quote`,
 * `words` and `example` alone, or in quotes: a stranger has written them.
 */

/** How many events a preview and a full analysis recommend. */
export const RECOMMENDED_EVENTS = { preview: { min: 3, max: 5 }, full: { min: 5, max: 8 } } as const
export type ScanDepth = keyof typeof RECOMMENDED_EVENTS

/** Longest `focus` of a request, characters. */
export const MAX_FOCUS_CHARS = 200

export const SITE_CLASSES = [
  'saas',
  'shop',
  'content',
  'marketplace',
  'docs',
  'community',
  'local_business',
  'portfolio',
  'app',
  'public_service',
  'jobs',
  'event',
  'podcast',
  'nonprofit',
  'app_store_page',
  'api',
  'unknown',
] as const
export type SiteClass = (typeof SITE_CLASSES)[number]

const evidence = z.object({
  page: z.string().meta({ description: 'Path of the page' }),
  quote: z.string().meta({ description: 'Words or code of the page' }),
})
export type Evidence = z.infer<typeof evidence>

const example = z.object({
  question: z.string(),
  method: z.enum(['GET', 'POST']),
  path: z.string().meta({ description: 'With its query string' }),
  body: z.record(z.string(), z.unknown()).nullable(),
})
export type ExampleCall = z.infer<typeof example>

const placement = z.object({
  page: z
    .string()
    .nullable()
    .meta({ description: 'Path of a page with the element; null: of no page that was read' }),
  selector: z
    .string()
    .nullable()
    .meta({ description: 'CSS selector of the element; null: no element was found' }),
  words: z.string().nullable().meta({ description: 'The text of the element' }),
  method: z.enum(['attribute', 'call', 'server']),
  code: z.string().meta({ description: 'The attributes to add to the element, or the call' }),
  also: z
    .array(z.object({ page: z.string(), selector: z.string(), code: z.string() }))
    .meta({ description: 'Further elements of the same event, each with its own attributes' }),
})
export type Placement = z.infer<typeof placement>

export const recommendation = z
  .object({
    event: z.string().regex(/^[a-z][a-z0-9_]{2,63}$/),
    priority: z.int().min(1).meta({ description: '1 is the first to add' }),
    why_this_matters_now: z.string(),
    current_blindspot: z.string(),
    unlocks_questions: z.array(z.string()).min(1),
    agent_capability_after_install: z.string(),
    properties: documentedAs(
      z.array(z.object({ name: z.string(), example: z.string(), meaning: z.string() })),
      'objects',
      'name, example, meaning',
    ),
    implementation_hint: z.string(),
    placement: documentedAs(
      placement,
      'object',
      'page, selector, words, method, code, also: where and how to add it',
    ),
    example_calls: documentedAs(z.array(example).min(1), 'objects', 'question, method, path, body'),
  })
  .meta({ id: 'ScanRecommendation' })
export type Recommendation = z.infer<typeof recommendation>

const funnelStep = z.object({
  event: z.string(),
  filters: z.array(z.object({ property: z.string(), op: z.enum(['eq', 'contains']), value: z.string() })),
})
export type ScanFunnelStep = z.infer<typeof funnelStep>

const understanding = z.object({
  site_class: z.enum(SITE_CLASSES),
  confidence: z.number().min(0).max(1),
  claims: documentedAs(
    z.array(z.object({ claim: z.string(), evidence: z.array(evidence).min(1) })),
    'objects',
    'claim, and its evidence: page and quote',
  ),
  question: documentedAs(
    z.object({ question: z.string(), answers: z.array(z.string()) }).nullable(),
    'object or null',
    'question to the owner on which the advice hangs, and answers that can be sent as `focus`',
  ),
  languages: z.array(z.string()),
  framework: z.string().nullable(),
  pages_read: z.array(z.string()),
  notes: z.array(z.string()).meta({ description: 'What could not be read, and why' }),
})
export type Understanding = z.infer<typeof understanding>

/** The result object of a preview and of a full analysis. */
export const scanResult = z
  .object({
    framing: z.string().meta({ description: 'What the site is about and for whom' }),
    understanding,
    normalized_url: z.string(),
    hostname: z.string(),
    current_blindspots: z.array(z.string()),
    minimum_viable_instrumentation: z
      .array(recommendation)
      .min(RECOMMENDED_EVENTS.preview.min)
      .max(RECOMMENDED_EVENTS.full.max),
    not_needed_yet: documentedAs(
      z.array(z.object({ event: z.string(), reason: z.string(), revisit_when: z.string() })),
      'objects',
      'event, reason, revisit_when',
    ),
    goal_driven_funnels: documentedAs(
      z.array(
        z.object({
          name: z.string(),
          steps: z.array(funnelStep).min(2).max(8).meta({ description: 'The `steps` of POST /funnel' }),
          decision: z.string(),
          bottleneck_detection: z.string(),
        }),
      ),
      'objects',
      'name, steps (as of POST /funnel), decision, bottleneck_detection',
    ),
    after_install_agent_behavior: z.array(z.string()),
    business_events_later: documentedAs(
      z.array(z.object({ event: z.string(), why: z.string(), where_to_instrument: z.string() })),
      'objects',
      'event, why, where_to_instrument',
    ),
    advanced_tracking_later: documentedAs(
      z.array(z.object({ capability: z.string(), why: z.string(), implementation_hint: z.string() })),
      'objects',
      'capability, why, implementation_hint',
    ),
    suggested_ab_tests: documentedAs(
      z.array(
        z.object({
          name: z.string(),
          hypothesis: z.string(),
          variants: z
            .array(z.string())
            .min(2)
            .max(4)
            .meta({ description: 'The `variants` of POST /experiments' }),
          success_event: z.string().meta({ description: 'The `goal_event` of POST /experiments' }),
          implementation_hint: z.string(),
        }),
      ),
      'objects',
      'name, hypothesis, variants, success_event (for POST /experiments), implementation_hint',
    ),
    analytics_detected: z.object({
      providers: z.array(z.object({ name: z.string(), kind: z.string(), evidence: z.string() })),
      has_tracker: z.boolean().meta({ description: "Whether a page has this service's tracker" }),
    }),
  })
  .meta({ id: 'ScanResult' })
export type ScanResult = z.infer<typeof scanResult>

/** What a coding agent gets, to add the events to the site. */
export const agentHandoff = z
  .object({
    label: z.string(),
    analysis_id: z.string(),
    resume_token: z.string().nullable(),
    prompt: z.string(),
  })
  .meta({ id: 'ScanHandoff' })
export type AgentHandoff = z.infer<typeof agentHandoff>

/** One event of POST /website-scans/{id}/verify. */
export const verifiedEvent = z
  .object({
    event: z.string(),
    arrived: z.boolean(),
    count: z.int(),
    last_seen_at: z.int().nullable().meta({ description: 'Unix ms' }),
    from: documentedAs(
      z.array(z.object({ page: z.string().nullable(), place: z.string().nullable(), count: z.int() })),
      'objects',
      'the page (path) and `place` that most of them have, five at most, and their count',
    ),
    missing_properties: z.array(z.string()),
    warnings: z.array(z.string()),
    fix: documentedAs(
      z.object({ file_hint: z.string(), change: z.string() }).nullable(),
      'object or null',
      'file_hint (where in the code of the site) and change: what to do first; null: nothing',
    ),
  })
  .meta({ id: 'ScanVerifiedEvent' })
export type VerifiedEvent = z.infer<typeof verifiedEvent>

export const scanVerification = z
  .object({
    analysis_id: z.string(),
    checked_at: z.int().meta({ description: 'Unix ms' }),
    events: z.array(verifiedEvent),
    refused: documentedAs(
      z.array(
        z.object({
          reason: refusalReason,
          events: z.int(),
          last: z.string().nullable(),
          fix: z.string(),
        }),
      ),
      'objects',
      'reason, events, last, fix: what the project refused since the analysis, as GET /projects/{id} has it',
    ),
  })
  .meta({ id: 'ScanVerification' })
