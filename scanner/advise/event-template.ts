import type { Action, Intent, SiteFindings } from '#scanner/read/findings'
import type { SiteClass } from '#schemas/website-scans'

/**
 * An event that a site may need. The texts have places in braces for what is special about the site:
 * `{element}` is `the button "Start free trial" in the header of "/pricing"`, `{begin}` the element that an
 * outcome follows, `{host}` the site, `{page}` an address, `{subject}` how the site calls itself; `{reader}`,
 * `{text}` and `{thread}` are words that fit its class.
 */
export type EventTemplate = {
  event: string
  /** What a visitor wants who uses the element. Null: no element sends it. */
  intent: Intent | null
  /** Which elements of the intent it is for. The first template that takes an element has it. */
  fits?: (action: Action, findings: SiteFindings) => boolean
  /** How much it tells about a site of the class, 0 to 10. `any`: of every other class. */
  worth: Partial<Record<SiteClass | 'any', number>>
  /** One such event, and many, in questions. */
  noun: readonly [one: string, many: string]
  /** What a visitor does, after `visitors can`. Only events of elements have it. */
  act?: string
  why: string
  blindspot: string
  capability: string
  /** The elements that begin it, if no element sends it. */
  begins?: Begins
  /** Where it is sent from, if no element sends it, and how often; default: once on a page. */
  where?: { method: 'call' | 'server'; text: string; often?: string }
  /** Properties beside `place`, from what the page shows. */
  properties?: readonly PropertySource[]
}

/** An outcome that no element sends. */
export type OutcomeTemplate = EventTemplate & { intent: null; where: NonNullable<EventTemplate['where']> }

/** An outcome follows an element of one of the intents. `otherwise`: what to call it if there is none. */
export type Begins = { intents: readonly Intent[]; otherwise: string; kind?: 'form' | 'player' }

/** Where the example of a property comes from. */
export type PropertySource = 'plan' | 'product' | 'value' | 'currency' | 'topic' | 'method'
