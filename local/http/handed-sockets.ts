/** The first one that a supervisor hands over; 0 to 2 are input and output (sd_listen_fds(3)). */
const FIRST = 3

/**
 * The file descriptors of sockets that systemd has opened for this process (local/systemd/footfall.socket):
 * connections wait in them while the service starts or is replaced. None without them. Takes the variables
 * out of the environment, so that no program that this one starts takes the sockets for its own.
 */
export function handedSockets(env: NodeJS.ProcessEnv, pid: number): number[] {
  const { LISTEN_PID, LISTEN_FDS } = env
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name]
  if (LISTEN_PID !== String(pid)) return []
  return Array.from({ length: Number(LISTEN_FDS) || 0 }, (_, i) => FIRST + i)
}
