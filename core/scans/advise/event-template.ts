import type { Action, Intent, SiteFindings } from '#core/scans/read/findings'
import type { SiteClass } from '#schemas/website-scans'

/**
 * An event that a site may need. The texts have places in braces for what is special about the site:
 * `{element}` is `the button "Start free trial" in the header of "/pricing"`, `{host}` the site, `{event}`
 * the name, `{page}` its address, `{subject}` how the site calls itself.
 */
export type EventTemplate = {
  event: string
  /** What a visitor wants who uses the element. Null: no element sends it. */
  intent: Intent | null
  /** Which elements of the intent it is for. The first template that takes an element has it. */
  fits?: (action: Action, findings: SiteFindings) => boolean
  /** How much it tells about a site of the class, 0 to 10. `any`: of every other class. */
  worth: Partial<Record<SiteClass | 'any', number>>
  /** One word for one such event, and for many, in questions. */
  noun: readonly [string, string]
  why: string
  blindspot: string
  capability: string
  /** Where it is sent from, if no element sends it. */
  where?: { method: 'call' | 'server'; text: string }
  /** Properties beside `place`, from what the page shows. */
  properties?: readonly PropertySource[]
}

/** Where the example of a property comes from. */
export type PropertySource = 'plan' | 'product' | 'value' | 'currency' | 'topic' | 'method'
