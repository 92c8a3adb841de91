import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, NODE_ARGS, newFolder } from '#test/support/service-process'

/** A supervisor that holds the port, as systemd does with local/systemd/footfall.socket. */

afterAll(cleanUp)

/** Holds the socket, and starts the service again when it has ended with 0. */
const SUPERVISOR = `
while true; do
  sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ MALLOC_ARENA_MAX=2 exec "$@"' sh "$@" & pid=$!
  echo "service $pid"
  wait $pid || exit 1
done`

test('a request that comes while the service is replaced is answered by the next one', async () => {
  const holder = createServer()
  await new Promise<void>(done => void holder.listen(0, '127.0.0.1', done))
  const { port } = holder.address() as AddressInfo
  const { fd } = (holder as unknown as { _handle: { fd: number } })._handle
  const child = spawn('sh', ['-c', SUPERVISOR, 'sh', process.execPath, ...NODE_ARGS], {
    cwd: resolve(import.meta.dirname, '../../..'),
    env: {
      ...process.env,
      // Vitest has a variable of this name.
      BASE_URL: '',
      ...{ DATA_DIR: join(newFolder(), 'data'), PORT: String(port), SEED_DEMO: 'false' },
    },
    stdio: ['ignore', 'pipe', 'pipe', fd],
    detached: true,
  })
  onTestFinished(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', chunk => {
      output += chunk
    })
  // The children have the socket now, and nobody else accepts from it.
  holder.close()
  // A connection of its own: fetch would take one that the service has closed.
  const health = () =>
    new Promise<number | undefined>((done, failed) => {
      get({ port, path: '/health', agent: false }, response => done(response.resume().statusCode)).on(
        'error',
        failed,
      )
    })
  // It waits for the first start, too.
  expect(await health()).toBe(200)
  const services = () => [...output.matchAll(/^service (\d+)$/gm)].map(([, pid]) => Number(pid))
  for (let starts = 1; starts <= 2; starts++) {
    await eventually(async () => expect(output.match(/^ready /gm)).toHaveLength(starts))
    process.kill(services().at(-1) ?? 0, 'SIGTERM')
    await eventually(async () => expect(output.match(/"STOPPED"/g)).toHaveLength(starts))
    const during = Array.from({ length: 5 }, health)
    expect(await Promise.all(during)).toEqual(Array(5).fill(200))
  }
  expect(services().length).toBeGreaterThanOrEqual(3)
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await once(child, 'close')
})
