/** An error as the SDK throws it when a service refuses (client) or fails (server). */
export function awsError(name: string, fault: 'client' | 'server', more: Record<string, unknown> = {}) {
  return Object.assign(new Error(`${name}: as the service says it`), { name, $fault: fault, ...more })
}
