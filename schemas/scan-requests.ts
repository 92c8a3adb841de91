import * as z from 'zod'
import { documentedAs } from './documented-as.ts'
import { agentHandoff, MAX_FOCUS_CHARS, scanResult } from './website-scans.ts'

/** Requests for website analyses, and their responses (docs/api/website-scans.md). */

const URL_RULE = 'Field `url` must be the address of a website, such as `https://www.example.com`.'
const url = z.string(URL_RULE).min(1, URL_RULE).meta({ example: 'https://www.example.com' })
const project = z
  .string('Field `project` must be the name or id of a project.')
  .meta({ description: 'The project that the analysis is for; the host must be one of its origins' })

export const createScan = z
  .object({
    url,
    full: z
      .boolean('Field `full` must be true or false.')
      .optional()
      .meta({ description: 'The same as `mode: full`; needs an account' }),
    mode: z
      .enum(['preview', 'full'], 'Field `mode` must be `preview` or `full`.')
      .optional()
      .meta({ description: 'Default: preview' }),
    focus: z
      .string('Field `focus` must be a text.')
      .max(MAX_FOCUS_CHARS, `Field \`focus\` must have at most ${MAX_FOCUS_CHARS} characters.`)
      .optional()
      .meta({ description: 'What the owner wants to reach, in their words; needs an account' }),
    project: project.optional(),
  })
  .refine(
    ({ full, mode }) => full !== true || mode !== 'preview',
    'Field `mode` is `preview` and `full` is true. Send one of them.',
  )

export const upgradeScan = z.object({
  resume_token: z
    .string('Field `resume_token` must be the token of the anonymous preview.')
    .optional()
    .meta({ description: 'Of an anonymous preview, which then belongs to the account' }),
  project: project.optional(),
})

export const readScanQuery = z.object({
  resume_token: z
    .string()
    .optional()
    .meta({ description: 'Of an anonymous preview, in place of a credential' }),
})

export const scanResponse = z
  .object({
    ok: z.literal(true),
    analysis_id: z.string(),
    status: z.enum(['pending', 'running', 'succeeded', 'failed']),
    stage: z.string().meta({
      description: 'What a running analysis does: queued, fetching, rendering, reading, writing, done',
    }),
    mode: z.enum(['anonymous_preview', 'authenticated_preview', 'full']),
    normalized_url: z.string(),
    hostname: z.string(),
    project_id: z.string().nullable(),
    cached: z.boolean().meta({ description: 'A preview of the last day that somebody else has asked for' }),
    created_at: z.int().meta({ description: 'Unix ms' }),
    finished_at: z.int().nullable().meta({ description: 'Unix ms' }),
    resume_token: z
      .string()
      .optional()
      .meta({ description: 'Of a new anonymous preview, once: it reads and upgrades it' }),
    failure: z.object({ error: z.string(), message: z.string() }).optional(),
    preview: scanResult.optional(),
    result: scanResult.optional().meta({ description: 'Of a full analysis' }),
    coverage: documentedAs(
      z
        .object({
          pages: z.array(z.object({ url: z.string(), status: z.int(), rendered: z.boolean() })),
          not_reached: z.array(z.object({ url: z.string(), reason: z.string() })),
          rendering: z.enum(['not_needed', 'used', 'not_available', 'no_sandbox', 'failed']),
        })
        .nullable(),
      'object or null',
      'pages that were read, not_reached with reasons, rendering',
    ),
    changes: documentedAs(
      z.array(z.object({ at: z.int(), site: z.array(z.string()), plan: z.array(z.string()) })),
      'objects',
      'at, site, plan: what monthly re-scans have found changed, newest first',
    ),
    site_origin: documentedAs(
      z
        .object({
          origin: z.string(),
          is_allowed: z.boolean(),
          change: z
            .object({
              method: z.literal('PATCH'),
              path: z.string(),
              body: z.object({ allowed_origins: z.string() }),
            })
            .nullable(),
        })
        .nullable(),
      'object or null',
      'origin of the site, is_allowed by the project, and change: the request that allows it',
    ),
    agent_handoff: agentHandoff,
  })
  .meta({ id: 'Scan' })
export type ScanResponse = z.infer<typeof scanResponse>
