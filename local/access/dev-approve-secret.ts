import { join } from 'node:path'
import { randomSecret } from '#core/secrets/tokens'
import { writeAtomically } from '#local/atomic-file'

export function devApproveSecretPath(dataDir: string): string {
  return join(dataDir, 'dev-approve-secret')
}

/**
 * A new secret for POST /dev/approve, in a file that only the owner of the data folder may read: other users
 * and programs of the machine can reach the port, too. Each start makes another one.
 */
export function newDevApproveSecret(dataDir: string): string {
  const secret = `aad_${randomSecret()}`
  writeAtomically(devApproveSecretPath(dataDir), `${secret}\n`)
  return secret
}
