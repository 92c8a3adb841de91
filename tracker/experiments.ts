import { bucketOf, chooseVariant, splitEqually, type Variant } from './assignment.ts'
import { userId } from './identity.ts'
import { isPrintOnly } from './send.ts'
import { dataset, endpoint } from './settings.ts'
import { isHeld, read, write } from './storage.ts'
import { track } from './track.ts'

const running = new Map<string, Variant[]>()
/** The variants of this page load. */
const assigned = new Map<string, string | null>()
let isLoaded = false

/** Shows the elements of experiments, which a page may hide by this class until their texts are replaced. */
export function endLoading(): void {
  document.documentElement.classList.remove('aa-loading')
}

/** Returns the variant of the user, or null; with `keys` also when the service does not know the experiment (contract 4.7). */
function assignVariant(name: string, keys?: string[]): string | null {
  const variants = running.get(name) || (Array.isArray(keys) && splitEqually(keys))
  if (!assigned.has(name) && variants && !isPrintOnly()) {
    const forcedKey = new URLSearchParams(location.search).get(`aa_variant_${name}`)
    const forced = variants.some(({ key }) => key === forcedKey) || undefined
    const variant = forced ? forcedKey : chooseVariant(variants, bucketOf(name, userId()))
    assigned.set(name, variant)
    if (variant) track('$experiment_exposure', { experiment: name, variant, forced })
  }
  return assigned.get(name) ?? null
}

/** `window.aa.experiment`. A call shows that the page has experiments, so the service is asked from now on. */
export function experiment(name: string, keys?: string[]): string | null {
  write('experiments', null)
  if (!isLoaded) runExperiments()
  return assignVariant(name, keys)
}

/** Replaces the text, never HTML, of elements with `data-aa-experiment`. Without a text for the variant they keep their own. */
function applyVariants(): void {
  for (const element of document.querySelectorAll('[data-aa-experiment]')) {
    const name = element.getAttribute('data-aa-experiment')!
    const text =
      running.has(name) && element.getAttribute(`data-aa-variant-${assignVariant(name)?.toLowerCase()}`)
    if (typeof text === 'string') element.textContent = text
  }
}

/**
 * Asks the service for the experiments, once a page, and applies them. Call it for each route, and after the consent. When a
 * project has none, this browser session does not ask again until a page has an element or a call with an experiment.
 */
export async function runExperiments(): Promise<void> {
  const { token } = dataset
  try {
    const isNeeded = !read('experiments') || document.querySelector('[data-aa-experiment]')
    if (!isLoaded && token && isNeeded && !isHeld() && !isPrintOnly()) {
      isLoaded = true
      const address = `${endpoint}/experiments/config?token=${encodeURIComponent(token)}`
      const response = await fetch(address, { credentials: 'omit' })
      for (const { key, variants } of (await response.json()).experiments) running.set(key, variants)
      write('experiments', running.size ? null : 'none')
    }
    applyVariants()
  } catch {
    // Without the configuration, elements keep their texts, and `experiment` uses the keys of its caller.
  }
  endLoading()
}
