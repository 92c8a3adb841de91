import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { askReport, historyOf, nameOf } from '#rehearsal/reports'
import { COUNTRY, type World } from '#rehearsal/world'
import type { Credentials } from '#schemas/owner'
import { type Deployment, deployment, type NewProject } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'
import { reportRoutes } from '#test/support/report-routes'
import { NODE_ARGS } from '#test/support/service-process'
import type { Check } from './check.ts'

/**
 * Runs every report on the deployed service, where Trino runs its SQL, and on the service of one machine,
 * where DuckDB does. Both have the same events.
 */
export const equalReports: Check = {
  name: 'every report gives the same response as on one machine',
  async act(world) {
    const local = await startLocalService(world)
    const name = `reports-${Date.now()}`
    const events = historyOf(Date.now())
    const headers = { 'CloudFront-Viewer-Country': COUNTRY }
    const projects: NewProject[] = []
    for (const service of [world.service, local]) {
      const project = await service.callJson<NewProject>('/projects', {
        body: { name },
      })
      const { status } = await service.send(project, events, headers)
      if (status !== 202) throw new Error(`The events were answered with ${status}.`)
      projects.push(project)
    }
    return async () => {
      try {
        for (const [i, service] of [world.service, local].entries())
          await service.waitForEvents(projects[i] as NewProject, events.length, '30d')
        const differences: string[] = []
        for (const report of reportRoutes) {
          const [deployed = '', onOneMachine = ''] = await Promise.all(
            [world.service, local].map(async service =>
              JSON.stringify(await askReport(service, report, name)),
            ),
          )
          if (deployed !== onOneMachine)
            differences.push(`${nameOf(report)}: ${describeDifference(deployed, onOneMachine)}`)
        }
        if (differences.length > 0) throw new Error(differences.join('\n'))
      } finally {
        await local.close()
      }
      return `${reportRoutes.length} reports over ${events.length} events`
    }
  },
}

/** Both texts from a little before the place where they differ. */
function describeDifference(deployed: string, onOneMachine: string): string {
  let same = 0
  while (deployed[same] === onOneMachine[same]) same++
  const part = (text: string) => text.slice(Math.max(0, same - 200), same + 400)
  return `…${part(deployed)}…\non one machine: …${part(onOneMachine)}…`
}

/** The service of one machine, in the folder of the rehearsal. */
export async function startLocalService({ folder }: World): Promise<Deployment> {
  const dataDir = join(folder, 'one-machine')
  const logFile = join(folder, 'one-machine.log')
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, NODE_ARGS, {
    stdio: ['ignore', log, log],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: '0',
      DATA_DIR: dataDir,
      SEED_DEMO: 'false',
      COUNTRY_HEADER: 'cloudfront-viewer-country',
      TRUSTED_PROXIES: '127.0.0.1,::1',
    },
  })
  let hasExited = false
  const exited = new Promise<void>(resolveExit =>
    child.on('exit', () => {
      hasExited = true
      resolveExit()
    }),
  )
  const close = async () => {
    child.kill('SIGINT')
    await exited
  }
  return eventually(
    async () => {
      if (hasExited) return null
      const { base_url, api_key }: Credentials = JSON.parse(
        readFileSync(join(dataDir, 'credentials.json'), 'utf8'),
      )
      await fetch(`${base_url}/health`)
      return deployment({ base_url, api_key, setup_link: '', visible_within_s: 600 }, close)
    },
    { timeoutMs: 600_000, everyMs: 500 },
  ).then(
    service => {
      if (service === null) throw new Error(`The service has ended:\n${readFileSync(logFile, 'utf8')}`)
      return service
    },
    async error => {
      await close()
      throw error
    },
  )
}
