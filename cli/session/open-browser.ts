import { spawn } from 'node:child_process'
import type { Io } from '#cli/io'

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/**
 * Opens a page in the browser, or with AA_OPEN_COMMAND. Failing is no error: the address was printed, and a
 * human can open it.
 */
export function openInBrowser(address: string, { env, platform }: Io): void {
  const [command = 'xdg-open', ...args] = env.AA_OPEN_COMMAND
    ? [env.AA_OPEN_COMMAND]
    : (OPENERS[platform] ?? ['xdg-open'])
  const child = spawn(command, [...args, address], { env, stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
