import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Runner } from './built-cli.ts'
import type { DemoService } from './demo-service.ts'

/** Signs the command line in as the owner of a service that was started with DEV_APPROVE. */
export async function signIn(run: Runner, service: DemoService): Promise<void> {
  const { auth_request_id } = JSON.parse((await run(['login', '--detached', '--json'])).stdout)
  const secret = readFileSync(join(service.dataDir, 'dev-approve-secret'), 'utf8').trim()
  const body = JSON.stringify({ secret, auth_request_id, email: 'owner@localhost' })
  await fetch(`${service.baseUrl}/dev/approve`, { method: 'POST', body })
  const { code, stderr } = await run(['login', '--wait'])
  if (code !== 0) throw new Error(`The sign-in failed: ${stderr}`)
}
