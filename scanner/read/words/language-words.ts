import type { Intent } from '#scanner/read/findings'
import type { SiteClass } from '#schemas/website-scans'

/**
 * What the reader knows of one language. Phrases are separated by `|`, words by blanks; case and accents do
 * not count.
 */
export type LanguageWords = {
  /** What links, buttons and forms say, by what they are for. */
  intents: Partial<Record<Intent, string>>
  /** What stands before those whom a site is for; with `isPostposed` behind them. */
  audience: string
  isPostposed?: true
  /** Words of headings and navigation that only some kinds of sites have. */
  classes: Partial<Record<SiteClass, string>>
  /** Whether words are written without blanks between them. */
  isUnspaced?: true
}
