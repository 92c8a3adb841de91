import * as z from 'zod'
import { INTENTS } from '#scanner/read/findings'
import { SITE_CLASSES } from '#schemas/website-scans'
import { RENDERINGS } from './scan.ts'
import type { SiteVisit, VisitedSite } from './visit-site.ts'

/**
 * A visit and what it found, as they cross from one function to another. A page that takes over the function
 * which reads it can say no more than this: its words stay words, of limited length, in the places for words.
 */

/** A text of one line. Cleaned quotes are shorter; addresses have up to 2,048 characters. */
const text = (maxChars: number) =>
  z
    .string()
    .max(maxChars)
    .regex(/^\P{Cc}*$/u)
const quote = text(400)
const path = text(2_100)
const name = text(200)
const list = <T extends z.ZodType>(entry: T, max = 200) => z.array(entry).max(max)
const count = z.int().min(0)

const evidence = z.object({ page: path, quote })

const action = z.object({
  intent: z.enum(INTENTS),
  kind: z.enum(['link', 'button', 'form', 'frame', 'player']),
  page: path,
  region: z.enum(['header', 'nav', 'main', 'aside', 'footer', 'dialog', 'body']),
  words: quote,
  selector: text(4_000).regex(/^[^`\\]*$/),
  isBareForm: z.boolean(),
  isPrimary: z.boolean(),
  target: path.nullable(),
  isExternal: z.boolean(),
  pages: count,
  certainty: z.number().min(0).max(1),
  language: name.nullable(),
})

const page = z.object({
  ...{ path, status: count, title: quote, h1: quote, description: quote, language: name.nullable() },
  rendered: z.boolean(),
  isShell: z.boolean(),
  words: count,
})

const ofPages = z.object({
  url: path,
  hostname: text(300),
  pages: list(page, 30),
  languages: list(name, 40),
  name: evidence.nullable(),
  about: evidence.nullable(),
  audience: evidence.nullable(),
  classification: z.object({
    site_class: z.enum(SITE_CLASSES),
    confidence: z.number().min(0).max(1),
    evidence: list(evidence, 20),
    runner_up: z.enum(SITE_CLASSES).nullable(),
  }),
  actions: list(action),
  prices: list(z.object({ page: path, quote, amount: z.number(), currency: name })),
  plans: list(z.object({ page: path, name: quote, price: quote.nullable() })),
  schema_types: list(name),
  headings: list(evidence),
  navigation: list(evidence),
  providers: list(z.object({ name, kind: name, evidence: quote })),
  has_tracker: z.boolean(),
  framework: z.object({ name, evidence: quote }).nullable(),
  is_shell: z.boolean(),
  wall: z.enum(['login', 'challenge', 'error', 'empty']).nullable(),
  has_consent_banner: z.boolean(),
  notes: list(text(10_000), 10),
})

const findings = ofPages.extend({ first: ofPages.nullable() })

const coverage = z.object({
  pages: list(z.object({ url: path, status: count, rendered: z.boolean() }), 30),
  not_reached: list(z.object({ url: path, reason: text(500) }), 60),
  rendering: z.enum(RENDERINGS),
})

const failure = z.object({ code: z.enum(['INVALID_URL', 'SCAN_FAILED']), reason: text(4_000) })

export const visitedSite: z.ZodType<VisitedSite> = z.union([
  z.strictObject({ findings, coverage }),
  z.strictObject({ failure }),
])

export const siteVisit: z.ZodType<SiteVisit> = z.strictObject({
  url: z.string(),
  addresses: z.array(z.string()).min(1).max(4),
  depth: z.enum(['preview', 'full']),
  isAnonymous: z.boolean(),
})
