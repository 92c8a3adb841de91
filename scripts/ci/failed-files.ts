import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter } from 'vitest/node'

/** The variable that names the file of the report. */
export const REPORT_VARIABLE = 'FAILED_FILES_REPORT'

export type FailedFiles = {
  /** Test files that failed, relative to the root of the repository. */
  files: string[]
  /** Errors that belong to no test file, such as a rejection that nobody handled. */
  otherErrors: number
}

/** A reporter of Vitest. It writes which test files failed, so that `.ci/run` can run them again. */
export default class FailedFilesReporter implements Reporter {
  onTestRunEnd: Reporter['onTestRunEnd'] = (modules, errors) => {
    const failed = modules.filter(module => module.state() === 'failed').map(({ moduleId }) => moduleId)
    // Vitest notes the file in which a rejection stayed unhandled.
    const paths = errors.map(({ VITEST_TEST_PATH: path }) => (typeof path === 'string' ? path : null))
    const named = [...failed, ...paths.filter(path => path !== null)]
    const report: FailedFiles = {
      files: [...new Set(named.map(path => relative(process.cwd(), path)))],
      otherErrors: paths.filter(path => path === null).length,
    }
    writeFileSync(process.env[REPORT_VARIABLE] as string, JSON.stringify(report))
  }
}
