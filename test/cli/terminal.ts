import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { inject } from 'vitest'
import type { Input, Output } from '#cli/io'
import { builtCommandLine } from './built-cli.ts'
import { runHere } from './world.ts'

/** A program in a terminal, with the screen that a person sees. */
export type Terminal = {
  /** The text of the screen and of what has scrolled off it. Trailing spaces are removed. */
  screen(): string
  /** The lines that the terminal had to continue on the next one, because they were wider than it. */
  brokenLines(): string[]
  /** Which of the two screens of a terminal shows: programs that redraw use the second one. */
  isSecondScreen(): boolean
  /** Everything that was written, with its control sequences. */
  written(): string
  /** Presses keys: `\u0003` is Ctrl-C. */
  press(keys: string): void
  /** Resolves when the screen matches. Rejects with the screen when the program ends before that. */
  waitFor(pattern: RegExp): Promise<void>
  /** Resolves with the exit code when the program has ended and all is drawn. */
  ended: Promise<number>
}

/** A pseudo-terminal of the operating system. */
export type PseudoTerminal = Terminal & { resize(columns: number, rows: number): void }

export type TerminalOptions = {
  columns: number
  rows?: number
  env?: Record<string, string>
}

const open = new Set<IPty>()

/** Runs the command line in the process of the test, on streams that say that they are a terminal. */
export function openTerminalHere(
  args: readonly string[],
  {
    columns,
    rows = 40,
    env = {},
    stderr,
  }: TerminalOptions & { /** Default: the same terminal. */ stderr?: Output },
): Terminal {
  // A terminal of the system begins each line on the left by itself.
  const emulator = newEmulator(columns, rows, { convertEol: true })
  const drawing = createDrawing(emulator)
  const keys = new PassThrough()
  const output = new Writable({
    write(chunk, _, done) {
      drawing.show(String(chunk))
      done()
    },
  })
  const terminal: Output = Object.assign(output, { isTTY: true, columns, rows })
  const stdin: Input = Object.assign(keys, { isTTY: true })
  const result = runHere(args, { stdin, stdout: terminal, stderr: stderr ?? terminal, env })
  return {
    ...drawing.seen,
    press: text => void keys.write(text),
    ended: drawing.endedBy(result.then(({ code }) => code as number)),
  }
}

/** Runs the built command line in a pseudo-terminal. */
export async function openTerminal(
  args: readonly string[],
  options: TerminalOptions,
): Promise<PseudoTerminal> {
  return openProgram(process.execPath, [await builtCommandLine(), ...args], options)
}

export async function openProgram(
  program: string,
  args: readonly string[],
  { columns, rows = 40, env = {}, folder }: TerminalOptions & { folder?: string },
): Promise<PseudoTerminal> {
  const emulator = newEmulator(columns, rows)
  const drawing = createDrawing(emulator)
  const child = spawn(program, [...args], {
    cols: columns,
    rows,
    name: env.TERM ?? 'xterm-256color',
    ...(folder !== undefined && { cwd: folder }),
    env: { PATH: process.env.PATH as string, HOME: join(inject('runFolder'), 'no-home'), ...env },
  })
  open.add(child)
  child.onData(drawing.show)
  // Programs ask the terminal what it can do, and some wait for the answer.
  emulator.onData(answer => child.write(answer))
  const exited = new Promise<number>(resolve => {
    child.onExit(({ exitCode }) => {
      open.delete(child)
      resolve(exitCode)
    })
  })
  return {
    ...drawing.seen,
    press: keys => child.write(keys),
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows)
      child.resize(nextColumns, nextRows)
    },
    ended: drawing.endedBy(exited),
  }
}

/** Kills what still runs in pseudo-terminals. Call it in afterAll. */
export function closeTerminals(): void {
  for (const child of open) child.kill('SIGKILL')
  open.clear()
}

function newEmulator(cols: number, rows: number, more: { convertEol?: boolean } = {}) {
  return new xterm.Terminal({ cols, rows, scrollback: 5_000, allowProposedApi: true, ...more })
}

/** Draws what a program writes, until it ends. */
function createDrawing(emulator: ReturnType<typeof newEmulator>) {
  let written = ''
  let hasEnded = false
  let drawn = Promise.resolve()
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const lines = () => {
    const { active } = emulator.buffer
    return Array.from({ length: active.length }, (_, i) => active.getLine(i))
  }
  const screen = () =>
    lines()
      .map(line => line?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd()
  return {
    show(text: string): void {
      written += text
      drawn = new Promise(resolve =>
        emulator.write(text, () => {
          resolve()
          changed()
        }),
      )
    },
    async endedBy(exited: Promise<number>): Promise<number> {
      const code = await exited
      await drawn
      hasEnded = true
      changed()
      return code
    },
    seen: {
      screen,
      written: () => written,
      brokenLines: () => lines().flatMap(line => (line?.isWrapped ? [line.translateToString(true)] : [])),
      isSecondScreen: () => emulator.buffer.active.type === 'alternate',
      waitFor: (pattern: RegExp) =>
        new Promise<void>((resolve, reject) => {
          const look = () => {
            if (!pattern.test(screen()) && !hasEnded) return
            listeners.delete(look)
            if (pattern.test(screen())) resolve()
            else reject(new Error(`The program ended without ${pattern}:\n${screen()}`))
          }
          listeners.add(look)
          look()
        }),
    },
  }
}
