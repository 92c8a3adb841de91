import { createServer } from 'node:net'
import { type HttpOptions, type HttpServer, startHttp } from './server.ts'

/** The service cannot listen on its port. The message is for the operator. */
export class PortError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'PortError'
  }
}

/** The addresses of `localhost`. Clients differ in which one they try first. */
const LOOPBACK = ['127.0.0.1', '::1']
/** Errors of a machine that has no IPv6. */
const ADDRESS_MISSING = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Finds a free port for the setting PORT=0, because the service must know its address before it listens. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', error => reject(toPortError(error, host, 0)))
    server.listen({ port: 0, host }, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Listens on the host; for `localhost` on both of its addresses. Throws PortError. */
export async function listen(options: HttpOptions & { host: string }): Promise<{ close(): Promise<void> }> {
  const hosts = options.host === 'localhost' ? LOOPBACK : [options.host]
  const servers: HttpServer[] = []
  const close = async () => void (await Promise.all(servers.map(server => server.close())))
  for (const host of hosts) {
    try {
      servers.push(await startHttp({ ...options, host }))
    } catch (error) {
      if (servers.length > 0 && ADDRESS_MISSING.has((error as NodeJS.ErrnoException).code ?? '')) continue
      await close()
      throw toPortError(error as NodeJS.ErrnoException, host, options.port)
    }
  }
  return { close }
}

function toPortError(error: NodeJS.ErrnoException, host: string, port: number): PortError {
  const messages: Record<string, string> = {
    EADDRINUSE: `Port ${port} is used by another program. Stop that program, or set PORT to another port.`,
    EACCES: `Port ${port} needs administrator rights. Set PORT to a port above 1023.`,
    EADDRNOTAVAIL: `HOST=${host} is not an address of this machine. Set HOST to \`localhost\`, \`0.0.0.0\` or an address of this machine.`,
    ENOTFOUND: `HOST=${host} is an unknown name. Set HOST to \`localhost\`, \`0.0.0.0\` or an address of this machine.`,
  }
  return new PortError(
    messages[error.code ?? ''] ??
      `The service cannot listen on ${host}:${port} (${error.message}). Set HOST or PORT to another value.`,
    error,
  )
}
