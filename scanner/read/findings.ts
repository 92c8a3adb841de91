import type { Evidence, SiteClass } from '#schemas/website-scans'

/** Entries of each list of the findings. */
export const MAX_LIST = 200

/** What a visitor wants who uses a link, a button or a form (docs/website-analysis.md). */
export const INTENTS = [
  'sign_up',
  'log_in',
  'buy',
  'add_to_cart',
  'checkout',
  'book',
  'contact',
  'call',
  'directions',
  'download',
  'search',
  'subscribe',
  'docs',
  'pricing',
  'demo',
  'donate',
  'post',
  'reply',
  'message',
  'save',
  'share',
  'quote',
  'apply',
  'copy_code',
  'feedback',
  'create',
  'export',
  'view_work',
  'read',
  'sell',
  'play',
  'waitlist',
  'notify',
  // A prominent element whose words no table knows: it is named by them.
  'other',
] as const
export type Intent = (typeof INTENTS)[number]

/** Where on the page an element is: its nearest landmark. */
export type Region = 'header' | 'nav' | 'main' | 'aside' | 'footer' | 'dialog' | 'body'

/** A link, button or form that a visitor can use. */
export type Action = {
  intent: Intent
  /** A frame shows a page of another service; a player plays sound. */
  kind: 'link' | 'button' | 'form' | 'frame' | 'player'
  /** Path of the page where it was found first. */
  page: string
  region: Region
  /** The words on it, cleaned and cut; empty if it has none. */
  words: string
  /**
   * A CSS selector that matches this element alone on its page. Of a form it is that of its submit button,
   * or of the form if it has none.
   */
  selector: string
  /** Of a form: the selector is that of the form, because no button submits it. */
  isBareForm: boolean
  /** Whether it looks like what its page is for: a primary button, or a form. */
  isPrimary: boolean
  /** Where a link leads: a path of this site, or an address of another one without query and fragment. */
  target: string | null
  isExternal: boolean
  /** How many pages have it. */
  pages: number
  /** How surely the words and the target mean the intent, 0 to 1. */
  certainty: number
  language: string | null
}

export type Price = { page: string; quote: string; amount: number; currency: string }
export type Plan = { page: string; name: string; price: string | null }

/** A tool on the site: analytics, tag manager, consent, or another kind of scanner/read/providers. */
export type Provider = { name: string; kind: string; evidence: string }

export type PageFinding = {
  path: string
  status: number
  title: string
  h1: string
  description: string
  language: string | null
  rendered: boolean
  isShell: boolean
  words: number
}

export type Classification = {
  site_class: SiteClass
  confidence: number
  evidence: Evidence[]
  /** The class with the second most evidence. */
  runner_up: SiteClass | null
}

/** What the reader has found on some pages. It has no page text beyond the quotes. */
export type PagesFindings = {
  url: string
  hostname: string
  pages: PageFinding[]
  languages: string[]
  /** How the site calls itself. */
  name: Evidence | null
  /** What the site says it is, in one sentence. */
  about: Evidence | null
  /** For whom the site says it is. */
  audience: Evidence | null
  classification: Classification
  actions: Action[]
  prices: Price[]
  plans: Plan[]
  /** Types of schema.org, the most frequent first. */
  schema_types: string[]
  headings: Evidence[]
  navigation: Evidence[]
  providers: Provider[]
  has_tracker: boolean
  framework: { name: string; evidence: string } | null
  /** Whether pages get their content from scripts that have not run. */
  is_shell: boolean
  /** What stands before the content of the first page. */
  wall: 'login' | 'challenge' | 'error' | 'empty' | null
  has_consent_banner: boolean
  notes: string[]
}

/** Everything that the reader has found on a site. */
export type SiteFindings = PagesFindings & {
  /** The same of the first page alone, as a preview sees it. Null: there is no other page. */
  first: PagesFindings | null
}
