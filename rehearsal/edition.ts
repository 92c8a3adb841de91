import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from './cdk.ts'

const run = promisify(execFile)

/** The edition whose stack is updated: the newest with a recorded stack (test/fixtures/stacks). */
export const EDITION = '078be2be'

/** Checks the edition out into `folder`, from the history of this checkout, and installs its packages. */
export async function checkOutEdition(folder: string): Promise<string> {
  const app = join(folder, 'edition')
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, app])
  await run('git', ['checkout', '--quiet', EDITION], { cwd: app }).catch(cause => {
    throw new Error(`This checkout lacks commit ${EDITION}. Run \`git fetch --unshallow\` first.`, { cause })
  })
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: app, maxBuffer: 64 * 1024 * 1024 })
  return app
}
