import { type LocalQueryEngine, openQueryEngine, type QueryEngineSettings } from '#duckdb/reads/query-engine'

/** Longer than any statement of a test takes on a busy machine: a test that needs a limit sets its own. */
const UNLIMITED_MS = 300_000

/** An engine over the folder, without a log, that no busy machine makes fail. */
export function openTestEngine(
  settings: Partial<QueryEngineSettings> & Pick<QueryEngineSettings, 'lakeDir'>,
): Promise<LocalQueryEngine> {
  return openQueryEngine({
    log: () => {},
    threads: 1,
    timeoutMs: UNLIMITED_MS,
    queueMs: UNLIMITED_MS,
    ...settings,
  })
}
