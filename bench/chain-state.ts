import { parentPort } from 'node:worker_threads'
import { openDynaliteState } from '#test/support/dynalite-state'

/**
 * The state table of bench/chain.ts, in a thread of its own: its processor time is no part of the
 * measurement.
 */
if (parentPort === null) throw new Error('This file runs only as a worker thread of bench/chain.ts.')
const state = await openDynaliteState()
parentPort.on('message', () => state.close().then(() => process.exit(0)))
parentPort.postMessage(state.endpoint)
