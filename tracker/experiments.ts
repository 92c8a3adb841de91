import { bucketOf, chooseVariant, splitEqually, type Variant } from '#schemas/assignment'
import { bare } from './clean.ts'
import { viewerId } from './identity.ts'
import { findAll } from './page.ts'
import { dataset, endpoint, isPrintOnly } from './settings.ts'
import { isHeld, read, write } from './storage.ts'
import { track } from './track.ts'

const ATTRIBUTE = 'data-aa-experiment'

/** The variants of each running experiment, by its name. Without a prototype, every name is a normal key. */
const running: Record<string, Variant[]> = bare({})
/** The variants of this page load. */
const assigned: Record<string, string | null> = bare({})
let isLoaded = false

/** Shows the elements of experiments, which a page may hide by this class until their texts are replaced. */
export function endLoading(): void {
  document.documentElement.classList.remove('aa-loading')
}

/**
 * Returns the variant of the user, or null; with `keys` also when the service does not know the experiment
 * (docs/api/tracker.md).
 */
function assignVariant(name: string, keys?: string[]): string | null | undefined {
  const variants = running[name] || (keys && splitEqually(keys))
  if (!assigned[name] && variants && !isPrintOnly()) {
    const forcedKey = new URL(location.href).searchParams.get(`aa_variant_${name}`)
    const forced = variants.some(({ key }) => key === forcedKey) || undefined
    const variant = forced ? forcedKey : chooseVariant(variants, bucketOf(name, viewerId()))
    assigned[name] = variant
    if (variant) track('$experiment_exposure', { experiment: name, variant, forced })
  }
  return assigned[name]
}

/**
 * `window.aa.experiment`. A call shows that the page has experiments, so the service is asked from now on.
 */
export function experiment(name: string, keys?: string[]): string | null | undefined {
  if (!isLoaded) runExperiments(true)
  return assignVariant(name, keys)
}

const findElements = () => findAll(`[${ATTRIBUTE}]`)

/**
 * Asks the service for the experiments of the token, once a page. Then it replaces the text, never HTML, of
 * elements with `data-aa-experiment`; without a text for the variant they keep their own. Call it for each
 * route, and after the consent. When a project has no experiments, this browser session does not ask again
 * until a page has an element or a call with one.
 */
export async function runExperiments(isCalled?: boolean): Promise<void> {
  try {
    const isNeeded = () => isCalled || findElements()[0] || !read('experiments')
    if (!isLoaded && dataset.token && isNeeded() && !isHeld() && !isPrintOnly()) {
      isLoaded = true
      const { experiments } = await (
        await fetch(`${endpoint}/experiments/config?token=${dataset.token}`, { credentials: 'omit' })
      ).json()
      for (const { key, variants } of experiments) running[key] = variants
      write('experiments', experiments[0] ? null : 1)
    }
    for (const element of findElements()) {
      const name = element.getAttribute(ATTRIBUTE)!
      const text = running[name] && element.getAttribute(`data-aa-variant-${assignVariant(name)}`)
      if (text != null) element.textContent = text
    }
  } catch {
    // Without the configuration, elements keep their texts, and `experiment` uses the keys of its caller.
  }
  endLoading()
}
