import { writeSync } from 'node:fs'
import { DuckDBConnection } from '@duckdb/node-api'

/**
 * Loaded into a service before its own modules, by `--import`. Each COPY of its process of compaction first
 * runs another statement of ten minutes, and says so on standard output. The statement sleeps, so it costs no
 * processor time.
 */
if (process.argv[1]?.endsWith('local/compaction/process.ts')) {
  const { run } = DuckDBConnection.prototype
  DuckDBConnection.prototype.run = async function (text, ...values) {
    if (text.startsWith('COPY')) {
      writeSync(1, 'slow compaction\n')
      await run.call(this, 'SELECT sleep_ms(600000)')
    }
    return run.call(this, text, ...values)
  }
}
