import type { Command } from '#cli/command'
import { accountUsage, whoami } from './account.ts'
import { adminLink } from './admin-link.ts'
import { adminUpdates } from './admin-updates.ts'
import { allSites } from './all-sites.ts'
import { backupCommands } from './backup.ts'
import { botTraffic } from './bot-traffic.ts'
import { breakdown } from './breakdown.ts'
import { check } from './check.ts'
import { completionOf } from './completion.ts'
import { contextCommands } from './contexts.ts'
import { conversion } from './conversion.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { events } from './events.ts'
import { experimentChanges } from './experiment-changes.ts'
import { getExperiment, listExperiments } from './experiments.ts'
import { exportCommands } from './exports.ts'
import { feedback } from './feedback.ts'
import { funnel } from './funnel.ts'
import { heatmap } from './heatmap.ts'
import { init } from './init.ts'
import { insights } from './insights.ts'
import { journey } from './journey.ts'
import { live } from './live.ts'
import { login } from './login.ts'
import { mcp } from './mcp.ts'
import { openDashboard } from './open-dashboard.ts'
import { pages } from './pages.ts'
import { paths } from './paths.ts'
import { portfolioCommands } from './portfolios.ts'
import { create, remove, update } from './project-changes.ts'
import { list, project } from './projects.ts'
import { properties, propertiesReceived } from './properties.ts'
import { pull } from './pull.ts'
import { query } from './query.ts'
import { replayActions } from './replay-actions.ts'
import { replayCommands } from './replays.ts'
import { retention } from './retention.ts'
import { scan } from './scan.ts'
import { segmentCommands } from './segments.ts'
import { serve } from './serve.ts'
import { authStatus, logout } from './session-commands.ts'
import { sessions, sessionsDist } from './sessions.ts'
import { sources } from './sources.ts'
import { sqlShell } from './sql.ts'
import { stats } from './stats.ts'
import { upgradeLink } from './upgrade-link.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  stats,
  events,
  journey,
  query,
  properties,
  propertiesReceived,
  sessions,
  insights,
  breakdown,
  pages,
  sources,
  paths,
  sessionsDist,
  heatmap,
  funnel,
  retention,
  conversion,
  live,
  allSites,
  botTraffic,
  list,
  project,
  check,
  create,
  init,
  scan,
  update,
  remove,
  ...contextCommands,
  ...segmentCommands,
  ...portfolioCommands,
  listExperiments,
  getExperiment,
  ...experimentChanges,
  ...replayCommands,
  ...replayActions,
  login,
  logout,
  authStatus,
  adminLink,
  whoami,
  accountUsage,
  upgradeLink,
  feedback,
  mcp,
  demo,
  openDashboard,
  sqlShell,
  pull,
  ...exportCommands,
  ...backupCommands,
  serve,
  adminUpdates,
  doctor,
  completionOf(() => commands),
]
