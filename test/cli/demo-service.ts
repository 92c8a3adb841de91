import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onceARun } from '#test/setup/once-a-run'
import { demoFolder } from '#test/support/demo-folder'
import { type Service, startService } from '#test/support/service-process'

export type DemoService = Pick<Service, 'baseUrl' | 'dataDir'>

/**
 * Returns the service that all files of this folder use at the same time: the owner's account with the demo
 * project and its traffic, and DEV_APPROVE. It stays until the run ends. So a file gives its projects and
 * portfolios names of its own, and changes nothing of the demo project.
 */
export async function demoService(): Promise<DemoService> {
  const folder = await onceARun('cli-service', async path => {
    const { baseUrl, dataDir } = await startService({
      dataDir: await demoFolder({ isShared: true }),
      seed: true,
      isShared: true,
      env: { DEV_APPROVE: 'true' },
    })
    writeFileSync(join(path, 'service.json'), JSON.stringify({ baseUrl, dataDir }))
  })
  return JSON.parse(readFileSync(join(folder, 'service.json'), 'utf8'))
}
