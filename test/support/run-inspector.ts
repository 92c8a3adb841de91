import { type IPty, spawn } from '@lydell/node-pty'
import { expect } from 'vitest'
import type { Deployment } from './deployment.ts'
import { installInspector } from './inspector.ts'
import { listenForCallback } from './reference-client.ts'

export type Inspector = {
  /** Runs the command line with these arguments until it ends. Returns its exit code and what it wrote. */
  run(args: readonly string[]): Promise<[exitCode: number, written: string]>
  /** The same, when it opens a page for a sign-in: `approve` gets the address of the page. */
  runWithSignIn(
    args: readonly string[],
    approve: (address: string) => Promise<void>,
  ): Promise<[exitCode: number, written: string]>
  /** Ends what still runs. */
  stop(): void
}

/**
 * The command line of the MCP Inspector for the service. It keeps its session in `home`. Null without a way
 * to the registry, from which it is installed.
 */
export async function openInspector(
  { baseUrl, publicUrl }: Pick<Deployment, 'baseUrl' | 'publicUrl'>,
  home: string,
): Promise<Inspector | null> {
  const script = await installInspector()
  if (script === null) return null
  const listener = await listenForCallback()
  listener.close()
  const { port } = new URL(listener.url)
  const running = new Set<IPty>()

  /** It signs in on a terminal alone. The columns are many, so that no address is broken. */
  const start = (args: readonly string[]) => {
    const child = spawn(
      process.execPath,
      [
        ...['--import', reachedAt(publicUrl, baseUrl), script],
        ...['--cli', `${publicUrl}/mcp`, '--transport', 'http', '--format', 'json'],
        // A deployed function that starts for the first time on a busy machine is slow.
        ...['--connect-timeout', '120000'],
        ...['--callback-url', `http://127.0.0.1:${port}/oauth/callback`, ...args],
      ],
      {
        cols: 10_000,
        env: {
          PATH: process.env.PATH as string,
          HOME: home,
          MCP_AUTO_OPEN_ENABLED: 'false',
          MCP_STORAGE_DIR: home,
          MCP_INSPECTOR_SECRET_STORE: 'file',
        },
      },
    )
    running.add(child)
    let written = ''
    child.onData(text => {
      written += text
    })
    const ended = new Promise<[number, string]>(resolve =>
      child.onExit(({ exitCode }) => {
        running.delete(child)
        resolve([exitCode, written])
      }),
    )
    return { ended, written: () => written }
  }

  return {
    run: args => start(args).ended,
    async runWithSignIn(args, approve) {
      const { ended, written } = start(args)
      const opened = () => /https?:\/\/\S+\/oauth\/authorize\?[\w.~%&=+:/-]+/.exec(written())?.[0]
      await expect.poll(opened, { timeout: 120_000 }).toBeDefined()
      await approve(opened() ?? '')
      return ended
    },
    stop() {
      for (const child of running) child.kill()
    },
  }
}

/** A module that sends requests for one address to another: the name of a rehearsal does not resolve. */
function reachedAt(publicUrl: string, baseUrl: string): string {
  const code = `const real = globalThis.fetch
globalThis.fetch = (url, options) =>
  real(url instanceof Request ? url : String(url).replace(${JSON.stringify(publicUrl)}, ${JSON.stringify(baseUrl)}), options)`
  return `data:text/javascript,${encodeURIComponent(code)}`
}
