import type { RunCommand } from '#cli/command'
import { runServiceProgram } from '#cli/service-program'

/** On the machine of the service alone: it compares the clone with its upstream. */
export const adminUpdates: RunCommand = {
  name: 'admin updates',
  group: 'Tools',
  effect: 'local',
  args: [],
  flags: [],
  summary: 'Whether a newer version of the service is there, and what it changes; exit code 3 when it is',
  example: 'admin updates --help',
  async run(_, session) {
    const { io, globals } = session
    const args = globals.json === true ? ['--json'] : []
    session.exitCode = await runServiceProgram('local/update/main.ts', 'admin updates', io, args)
  },
}
