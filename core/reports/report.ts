import type { LakeRead } from '#core/lake/relations'
import type { Snapshot } from '#core/lake/state'
import type { Clock, QueryEngine } from '#core/ports'

/** What every report needs. */
export type ReportServices = {
  engine: QueryEngine
  lakeState: { lake(): Promise<Snapshot> }
  clock: Clock
}

/** What every report is asked: a project that the caller owns, and whether the caller is still there. */
export type ReportRequest<Query> = {
  project: LakeRead['project'] & { name: string }
  query: Query
  signal?: AbortSignal | undefined
}
