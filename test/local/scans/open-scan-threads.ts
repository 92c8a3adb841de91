import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { profiles } from '#core/plans/profile'
import { openScanMaintenance } from '#core/scans/open-scan-maintenance'
import { openScans } from '#core/scans/open-scans'
import { createStores } from '#core/stores'
import { findFence } from '#local/scans/find-fence'
import { createScanThread } from '#local/scans/scan-thread'
import { systemClock as clock } from '#providers/system-clock'
import { openTestState } from '#test/support/test-state'

const ENTRY = new URL('./loopback-thread.ts', import.meta.url)
export const ACCOUNT = { id: 'acc_1', tier: 'pro' } as never

/**
 * Analyses in the thread of one machine, of sites on this machine. What is opened is added to `cleanups`, to
 * be closed in the other order.
 */
export function openScanThreads(cleanups: (() => Promise<unknown>)[]) {
  async function serve(respond: (response: ServerResponse, url: string) => void): Promise<string> {
    const server: Server = createServer(({ url = '' }, response) => respond(response, url))
    cleanups.push(async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://shop.example.com:${(server.address() as AddressInfo).port}/`
  }

  /**
   * The scans and their thread over one state, as on one machine. A second `start` is a process that begins
   * after a kill.
   */
  async function open({
    chromiumPath,
    textModel,
    entry = ENTRY,
    checkMs = 1_000,
  }: {
    chromiumPath?: string
    textModel?: string
    entry?: URL
    checkMs?: number
  } = {}) {
    const state = await openTestState()
    cleanups.push(state.close)
    const logged: string[] = []
    const { fence } = await findFence(state.folder, chromiumPath)
    const start = () => {
      const settings = {
        dataDir: state.folder,
        userAgent: 'FootfallScan/1.0 (+http://localhost/)',
        chromiumPath,
        fence,
        textModel,
      }
      const thread = createScanThread(settings, code => void logged.push(code), { entry, checkMs })
      cleanups.push(thread.stop)
      const policy = { isAllowedAddress: () => true, isAllowedPort: () => true }
      const guards = { networkHash: async () => 'network' }
      const options = {
        ...state,
        clock,
        jobs: thread,
        profile: profiles.own,
        guards,
        policy,
        waitMs: 240_000,
      }
      const scans = openScans({ ...options, lookMs: 20 })
      const maintenance = openScanMaintenance({
        ...state,
        ...createStores(state, clock),
        jobs: thread,
        clock,
      })
      return { thread, scans, maintenance }
    }
    return { start, logged, folder: state.folder }
  }

  return { serve, open }
}
