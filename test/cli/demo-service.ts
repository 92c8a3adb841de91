import { valueOnceARun } from '#test/setup/once-a-run'
import { demoFolder } from '#test/support/demo-folder'
import { type Service, startService } from '#test/support/service-process'

export type DemoService = Pick<Service, 'baseUrl' | 'dataDir'>

/**
 * Returns the service that all files of this folder use at the same time: the owner's account with the demo
 * project and its traffic, and DEV_APPROVE. It stays until the run ends. So a file gives its projects and
 * portfolios names of its own, and changes nothing of the demo project.
 */
export function demoService(): Promise<DemoService> {
  return valueOnceARun('cli-service', async () => {
    const { baseUrl, dataDir } = await startService({
      dataDir: await demoFolder({ isShared: true }),
      seed: true,
      isShared: true,
      env: { DEV_APPROVE: 'true' },
    })
    return { baseUrl, dataDir }
  })
}
