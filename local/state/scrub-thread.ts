import { workerData } from 'node:worker_threads'
import { connectState } from './state.ts'

/** The code of the thread that scrubs the state at the path `workerData` and ends. */
const state = connectState(workerData as string)
await state.scrub()
await state.close()
