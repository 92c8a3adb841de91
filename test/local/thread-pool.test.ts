import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const PROCESS = resolve(import.meta.dirname, 'busy-engine.ts')

/** Long enough for the imports of the process, far shorter than its statements. */
const TIMEOUT_MS = 60_000

test('files are read and written while the engine runs as many statements as it may', () => {
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS], {
    env: { ...env, QUERY_CONCURRENCY: '5' },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).toBe('6 statements run')
}, 70_000)
