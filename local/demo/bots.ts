import { BOT_RULES_VERSION } from '#core/ingest/bots'
import { type BotRecord, packRecord } from '#core/ingest/record'
import type { Project } from '#core/projects/project'
import { DAY_MS } from '#core/time'

const DAYS = 30
/** Bots that visit the demo site, and the requests of each on a quiet day. */
const VISITORS: [category: string, actor: string, requests: number][] = [
  ['search_crawler', 'Googlebot', 6],
  ['ai_agent', 'GPTBot', 4],
  ['ai_agent', 'ClaudeBot', 3],
  ['search_crawler', 'Bingbot', 2],
  ['monitoring_perf', 'UptimeRobot', 2],
  ['social_preview', 'LinkedInBot', 1],
]

/**
 * The requests of bots in the 30 days before `end` (Unix ms), as packed records of the stream. The same on
 * every call.
 */
export function demoBots(project: Project, end: number): Uint8Array[] {
  const records: BotRecord[] = []
  for (let day = DAYS; day > 0; day--) {
    for (const [i, [category, actor, quietRequests]] of VISITORS.entries()) {
      const requests = quietRequests + ((day * 7 + i * 5) % 4)
      for (let n = 0; n < requests; n++) {
        records.push({
          kind: 'bots',
          project_id: project.id,
          account_id: project.account_id,
          received_at: end - day * DAY_MS + Math.floor(((n + 0.5) / requests) * DAY_MS),
          category,
          actor,
          dropped: 1 + (n % 3),
          rules_version: BOT_RULES_VERSION,
        })
      }
    }
  }
  return records.map(packRecord)
}
