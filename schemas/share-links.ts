import * as z from 'zod'

/**
 * The views of the dashboard that a share link can show, and the routes that each reads, by their names in
 * schemas/routes.ts. A share link calls no other route. None of these lists people, sessions or single
 * events.
 */
export const SHARED_VIEWS = {
  overview: ['stats', 'insights', 'pages', 'breakdown', 'query', 'properties'],
  pages: ['pages', 'query', 'sessionDistribution', 'breakdown', 'properties'],
  sources: ['breakdown', 'query', 'conversion', 'properties'],
  events: ['stats', 'query', 'breakdown', 'properties', 'receivedProperties'],
  funnel: ['funnel', 'breakdown', 'properties'],
  paths: ['paths', 'properties'],
  retention: ['retention', 'properties'],
  heatmap: ['heatmap'],
  bots: ['botTraffic'],
} as const satisfies Record<string, readonly string[]>

export type SharedView = keyof typeof SHARED_VIEWS
const VIEWS = Object.keys(SHARED_VIEWS) as [SharedView, ...SharedView[]]

/** Share links of a project. */
export const MAX_SHARE_LINKS = 100

const LABEL_RULE = 'Field `label` takes a text of 1 to 100 characters.'
const VIEWS_RULE = `Field \`views\` takes a list of one or more of ${VIEWS.join(', ')}.`
const EXPIRES_RULE = 'Field `expires_at` takes a time in Unix ms.'

export const createShareLink = z.object({
  label: z.string(LABEL_RULE).min(1, LABEL_RULE).max(100, LABEL_RULE).optional(),
  views: z
    .array(z.enum(VIEWS, VIEWS_RULE), VIEWS_RULE)
    .min(1, VIEWS_RULE)
    .max(VIEWS.length, VIEWS_RULE)
    .optional()
    .meta({ description: 'Default: all of them' }),
  expires_at: z.int(EXPIRES_RULE).optional().meta({ description: 'Default: it stays until it is deleted' }),
})

const shareLink = z
  .object({
    id: z.string(),
    label: z.string().nullable(),
    views: z.array(z.enum(VIEWS)),
    created_at: z.int().meta({ description: 'Unix ms' }),
    expires_at: z.int().nullable().meta({ description: 'Unix ms' }),
    last_used_at: z.int().nullable().meta({ description: 'To the hour' }),
  })
  .meta({ id: 'ShareLink' })
export type ShareLink = z.infer<typeof shareLink>

export const shareLinkList = z.object({
  share_links: z.array(shareLink),
  statements_today: z.int().nullable().meta({
    description: 'What all guests of the project have used on this UTC day; null: nothing is counted',
  }),
  statements_per_day: z.int().nullable().meta({ description: 'What they may use; null: any number' }),
})
export const createdShareLink = shareLink.extend({
  url: z.string().meta({ description: 'For those who may look. It is shown only now' }),
})
