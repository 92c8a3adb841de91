import { createServer } from 'node:net'
import { type HttpOptions, type HttpServer, startHttp } from './server.ts'

/** The port cannot be had; the message is for the operator. */
export class PortError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'PortError'
  }
}

/** `localhost` is two addresses, and which one a client tries first is its own business. */
const LOOPBACK = ['127.0.0.1', '::1']
/** What a machine without IPv6 says. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** A port that is free on the host now, for the setting PORT=0: the service must know its address before it listens. */
export function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', error => reject(portError(error, host, 0)))
    server.listen({ port: 0, host }, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Listens on the host, on both loopback addresses for `localhost`. Throws PortError. */
export async function listen(options: HttpOptions & { host: string }): Promise<{ close(): Promise<void> }> {
  const hosts = options.host === 'localhost' ? LOOPBACK : [options.host]
  const servers: HttpServer[] = []
  const close = async () => void (await Promise.all(servers.map(server => server.close())))
  for (const host of hosts) {
    try {
      servers.push(await startHttp({ ...options, host }))
    } catch (error) {
      if (servers.length > 0 && NO_SUCH_ADDRESS.has((error as NodeJS.ErrnoException).code ?? '')) continue
      await close()
      throw portError(error as NodeJS.ErrnoException, host, options.port)
    }
  }
  return { close }
}

function portError(error: NodeJS.ErrnoException, host: string, port: number): PortError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${port} is taken by another program; stop it, or set PORT to another one`,
    EACCES: `port ${port} is not for ordinary users; set PORT to one above 1023`,
    EADDRNOTAVAIL: `HOST=${host} is not an address of this machine`,
    ENOTFOUND: `HOST=${host} is not known`,
  }
  return new PortError(
    reasons[error.code ?? ''] ?? `cannot listen on ${host}:${port}: ${error.message}`,
    error,
  )
}
