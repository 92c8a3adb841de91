import type { PageScripts } from './page-scripts.ts'

/** What the service says of the project (docs/api/replays.md). */
export type ReplayConfig = {
  recording_start: 'immediate' | 'after_consent'
  mask_text: boolean
  mask_selectors: string[]
  block_selectors: string[]
  ignore_selectors: string[]
  limits: { max_bytes: number; max_duration_ms: number }
}

/**
 * Asks the service, once a page; browsers keep the answer for 60 s. Null: replay is off, or nobody answers.
 */
export async function readConfig({ endpoint, token }: PageScripts): Promise<ReplayConfig | null> {
  const address = `${endpoint}/replay/config?token=${encodeURIComponent(token)}`
  const response = await fetch(address, { credentials: 'omit', referrerPolicy: 'origin' })
  const config = response.ok ? await response.json() : null
  return config?.enabled === true ? config : null
}
