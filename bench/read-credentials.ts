import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

type OwnerCredentials = { api_key: string; project: string; project_token: string }

/** The owner's credentials of a service of one machine, as soon as it has written them. */
export async function readCredentials(dir: string): Promise<OwnerCredentials> {
  const path = join(dir, 'credentials.json')
  while (!existsSync(path)) await sleep(50)
  return JSON.parse(readFileSync(path, 'utf8')) as OwnerCredentials
}
