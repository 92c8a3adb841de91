import { type AddressInfo, createServer, type Server } from 'node:net'
import { CAPS, createAdmission } from './admission.ts'
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

/**
 * The kernel chooses a port that is free on one address. If another program has it on the second address, we
 * try another port, so many times at most.
 */
const MAX_TRIES = 20

/** A port that no other program can take before `release`. */
export type ReservedPort = { port: number; release(): Promise<void> }

/**
 * Reserves a free port for the setting PORT=0, because the service must know its address some seconds before
 * it listens. Without a reservation the kernel could give the port to another program in the
 * meantime. Throws PortError.
 */
export async function reservePort(host: string): Promise<ReservedPort> {
  for (let tries = 1; ; tries += 1) {
    const servers: Server[] = []
    const release = async () => void (await Promise.all(servers.map(closeServer)))
    let port = 0
    try {
      for (const address of addressesOf(host)) {
        try {
          const server = await openServer(address, port)
          servers.push(server)
          port = (server.address() as AddressInfo).port
        } catch (error) {
          if (servers.length === 0 || !isAddressMissing(error)) throw error
        }
      }
      return { port, release }
    } catch (error) {
      await release()
      const isTaken = port !== 0 && (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || tries === MAX_TRIES) throw toPortError(error as NodeJS.ErrnoException, host, port)
    }
  }
}

/** A server that holds the port. It closes each connection, because nobody knows the port yet. */
function openServer(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.once('error', reject)
    server.listen({ port, host }, () => resolve(server))
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => void server.close(() => resolve()))
}

export type ListenOptions = HttpOptions & {
  host: string
  /** Sockets that listen already, in the place of `port` and `host`. */
  sockets?: readonly number[]
}

/**
 * Listens on the host; for `localhost` on both of its addresses, which share one admission. Throws PortError.
 */
export async function listen(options: ListenOptions): Promise<{ close(): Promise<void> }> {
  const servers: HttpServer[] = []
  const close = async () => void (await Promise.all(servers.map(server => server.close())))
  const admission = options.admission ?? createAdmission(CAPS, options.log)
  const { sockets = [] } = options
  for (const fd of sockets) servers.push(await startHttp({ ...options, admission, fd }))
  for (const host of sockets.length > 0 ? [] : addressesOf(options.host)) {
    try {
      servers.push(await startHttp({ ...options, admission, host }))
    } catch (error) {
      if (servers.length > 0 && isAddressMissing(error)) continue
      await close()
      throw toPortError(error as NodeJS.ErrnoException, host, options.port)
    }
  }
  return { close }
}

function addressesOf(host: string): readonly string[] {
  return host === 'localhost' ? LOOPBACK : [host]
}

function isAddressMissing(error: unknown): boolean {
  return ADDRESS_MISSING.has((error as NodeJS.ErrnoException).code ?? '')
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
