import { escapedText } from '#core/text/clean-text'
import { chooseBaseUrl } from './http/base-url.ts'
import { type Credential, createClient, createOpenClient } from './http/client.ts'
import type { Io } from './io.ts'
import { resultText, wholeResultText } from './print/result.ts'
import { createSpinner } from './print/spinner.ts'
import type { Globals, Output, Session } from './run-context.ts'
import { demoCredential, storedCredential } from './session/credential.ts'
import { configDir, openStore } from './session/store.ts'

/** Width of a pipe that says nothing about it: no table is cut, and bars stay short. */
const PIPE_WIDTH = 1_000

/**
 * What a command uses: its world, and calls with the stored session.
 * `isDone`: when the command prints, it has already changed something. So its result is always printed.
 */
export function openSession(io: Io, globals: Globals, isDone: boolean): Session {
  const { env, stdout, stderr } = io
  const store = () => openStore(configDir(globals.configDir, io), io)
  const spinner = createSpinner(io)
  let address: string | undefined
  let credential: Credential | undefined
  const baseUrl = () => {
    address ??= chooseBaseUrl(globals, env, () => (globals.demo ? undefined : store().read().base_url))
    return address
  }
  const credentialOf = () => {
    credential ??= globals.demo ? demoCredential(io, baseUrl()) : storedCredential(io, store(), baseUrl())
    return credential
  }
  const notices = new Set<string>()
  const say = (text: string) => {
    spinner.clear()
    stderr.write(`${escapedText(text)}\n`)
  }
  const render: Session['render'] = (blocks, text) => {
    const output = outputOf(io)
    if (!isDone) return resultText(blocks, text, globals, output)
    const { result, notice } = wholeResultText(blocks, text, globals, output)
    // A command that prints in several parts shows each notice once.
    if (notice !== null && !notices.has(notice)) say(notice)
    if (notice !== null) notices.add(notice)
    return result
  }
  return {
    io,
    globals,
    exitCode: 0,
    get output() {
      return outputOf(io)
    },
    baseUrl,
    store,
    credential: credentialOf,
    client(call) {
      const send = createClient(io, baseUrl(), credentialOf())
      return spinner.during(`Waiting for ${baseUrl()}`, () => send(call))
    },
    openClient(call) {
      const send = createOpenClient(io, baseUrl())
      return spinner.during(`Waiting for ${baseUrl()}`, () => send(call))
    },
    during: spinner.during,
    render,
    print(blocks, text) {
      const result = render(blocks, text)
      spinner.clear()
      if (result !== '') stdout.write(`${result}\n`)
    },
    say,
  }
}

function outputOf(io: Io): Output {
  const { stdout, env } = io
  const isTerminal = stdout.isTTY === true
  const named = /^\d{1,4}$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : 0
  return {
    width: named > 0 ? named : isTerminal ? stdout.columns || 80 : PIPE_WIDTH,
    // NO_COLOR counts with any text that is not empty (no-color.org).
    hasColor: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    isTerminal,
    canAsk: isTerminal && io.stdin.isTTY === true,
  }
}
