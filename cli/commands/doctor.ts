import { resolve } from 'node:path'
import type { RunCommand } from '#cli/command'
import { dataFolder } from '#cli/http/base-url'
import { runServiceProgram } from '#cli/service-program'

/** On the machine of the service alone: its program asks the service over the socket in the data folder. */
export const doctor: RunCommand = {
  name: 'doctor',
  group: 'Tools',
  effect: 'local',
  args: [],
  flags: [
    { flags: '--data <folder>', help: 'data folder of the service (default: DATA_DIR, else .footfall)' },
    { flags: '--env-file <file>', help: 'file with the settings, read when no service runs' },
  ],
  summary:
    'Looks at the service of this machine: address, proxy, TLS, disk, clock, backup, what would stop first',
  example: 'doctor',
  async run({ options }, session) {
    const { io, globals } = session
    const data = resolve(String(options.data ?? dataFolder(io.env)))
    session.exitCode = await runServiceProgram('local/doctor/main.ts', 'doctor', io, [
      '--data',
      data,
      ...(options.envFile === undefined ? [] : ['--env-file', resolve(String(options.envFile))]),
      ...(globals.json === true ? ['--json'] : []),
    ])
  },
}
