import { runScanThread } from '#local/scans/run-scan-thread'
import { createNetwork } from '#providers/network'

/** The thread of website analyses for tests: every name leads to this machine, at any port. */
runScanThread({
  network: { ...createNetwork(), addresses: async () => ['127.0.0.1'] },
  policy: { isAllowedAddress: () => true, isAllowedPort: () => true },
})
