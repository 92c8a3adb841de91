import { createAccessStores } from '#core/access-stores'
import type { FeedbackSink } from '#core/accounts/feedback'
import { ownObjects } from '#core/lake/model/own-objects'
import { readProfile } from '#core/plans/profile'
import type { Lake, Log } from '#core/ports'
import { createLakeStores, createStores } from '#core/stores'
import { systemClock as clock } from '#providers/system-clock'
import { createDynamoClient, createS3Client } from './clients.ts'
import type { Instruments } from './instruments.ts'
import { createS3Lake } from './lake.ts'

/** The stores of the state table, with the calls to it in traces. */
export function createTracedStores(table: string, trace: Instruments['trace']) {
  const state = { client: trace(createDynamoClient()), table }
  return { ...state, ...createStores(state, clock) }
}

/** The same with the lake, and the stores whose items name objects of it. */
export function createTracedLake(
  table: string,
  bucket: string,
  { trace, log }: Pick<Instruments, 'trace' | 'log'>,
) {
  const lake = openS3Lake(bucket, trace, log)
  const stores = createTracedStores(table, trace)
  return { ...stores, lake, ...createLakeStores({ ...stores, lake }, clock) }
}

/** The stores of those who call, for a function that nobody signs up with. */
export function createTracedAccess<Stores extends ReturnType<typeof createTracedStores>>(
  stores: Stores,
  { PROFILE, LIMITS }: { PROFILE: 'own' | 'hosted'; LIMITS: string },
  log: Log,
  feedbackSink: FeedbackSink | null = null,
) {
  const profile = readProfile(PROFILE, LIMITS, { areReadsBilled: true })
  const access = createAccessStores({ ...stores, clock, log, profile, admitted: [], feedbackSink })
  return { ...stores, ...access }
}

/** The lake of the S3 bucket. Objects with foreign names are left alone. */
export function openS3Lake(bucket: string, trace: Instruments['trace'], log: Log): Lake {
  return ownObjects(createS3Lake({ client: trace(createS3Client()), bucket }), log)
}
