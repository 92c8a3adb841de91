import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FeedbackSink } from '#core/accounts/feedback'

/**
 * Delivers feedback to the operator of one machine: a line of JSON each, in `feedback.jsonl` of the data
 * folder.
 */
export function createFeedbackFile(dataDir: string): FeedbackSink {
  const path = join(dataDir, 'feedback.jsonl')
  return {
    deliver: feedback => appendFile(path, `${JSON.stringify(feedback)}\n`, { mode: 0o600 }),
  }
}
