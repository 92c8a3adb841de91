/**
 * Returns an error as the AWS SDK throws it when a service rejects a request (`client`) or fails (`server`).
 */
export function awsError(name: string, fault: 'client' | 'server', more: Record<string, unknown> = {}) {
  return Object.assign(new Error(`${name}: message of the service`), { name, $fault: fault, ...more })
}
