import { createNetwork } from '#providers/network'
import { runScanThread } from './run-scan-thread.ts'

/** The thread of website analyses, on the machine's own network. */
runScanThread({ network: createNetwork() })
