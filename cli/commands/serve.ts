import { resolve } from 'node:path'
import type { RunCommand } from '#cli/command'
import { dataFolder } from '#cli/http/base-url'
import { runService } from '#cli/service-program'

/**
 * Its settings are variables of the environment (docs/settings.md); the options are the first three of them.
 */
export const serve: RunCommand = {
  name: 'serve',
  group: 'Tools',
  effect: 'local',
  args: [],
  flags: [
    {
      flags: '--data <folder>',
      help: 'data folder, made where there is none (default: DATA_DIR, else .footfall)',
    },
    { flags: '--port <n>', as: 'whole', help: 'where it listens on this machine (default: PORT, else 8787)' },
  ],
  summary: 'Runs the service on this machine; --base-url is where browsers reach it',
  example: 'serve --data /tmp/footfall-data',
  async run({ options }, session) {
    const { io, globals } = session
    session.exitCode = await runService(io, {
      DATA_DIR: resolve(String(options.data ?? dataFolder(io.env))),
      ...(options.port !== undefined && { PORT: String(options.port) }),
      ...(globals.baseUrl !== undefined && { BASE_URL: globals.baseUrl }),
    })
  },
}
