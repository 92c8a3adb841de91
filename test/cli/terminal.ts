import { join } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { inject } from 'vitest'
import { builtCommandLine } from './built-cli.ts'

/** A program in a real pseudo-terminal, with the screen that a person sees. */
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
  resize(columns: number, rows: number): void
  /** Resolves when the screen matches. Rejects with the screen when the process ends before that. */
  waitFor(pattern: RegExp): Promise<void>
  /** Resolves with the exit code when the process has ended and all is drawn. */
  ended: Promise<number>
}

export type TerminalOptions = {
  columns: number
  rows?: number
  env?: Record<string, string>
  folder?: string
}

const open = new Set<IPty>()

/** Runs the command line. */
export async function openTerminal(args: readonly string[], options: TerminalOptions): Promise<Terminal> {
  return openProgram(process.execPath, [await builtCommandLine(), ...args], options)
}

export async function openProgram(
  program: string,
  args: readonly string[],
  { columns, rows = 40, env = {}, folder }: TerminalOptions,
): Promise<Terminal> {
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true })
  const child = spawn(program, [...args], {
    cols: columns,
    rows,
    name: env.TERM ?? 'xterm-256color',
    ...(folder !== undefined && { cwd: folder }),
    env: { PATH: process.env.PATH as string, HOME: join(inject('runFolder'), 'no-home'), ...env },
  })
  open.add(child)
  let written = ''
  let hasEnded = false
  let drawn = Promise.resolve()
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  child.onData(text => {
    written += text
    drawn = new Promise(resolve =>
      emulator.write(text, () => {
        resolve()
        changed()
      }),
    )
  })
  // Programs ask the terminal what it can do, and some wait for the answer.
  emulator.onData(answer => child.write(answer))
  const screen = () => {
    const { active } = emulator.buffer
    return Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? '')
      .join('\n')
      .trimEnd()
  }
  const ended = new Promise<number>(resolve =>
    child.onExit(({ exitCode }) => {
      open.delete(child)
      drawn.then(() => {
        hasEnded = true
        changed()
        resolve(exitCode)
      })
    }),
  )
  return {
    screen,
    written: () => written,
    brokenLines() {
      const { active } = emulator.buffer
      const lines = Array.from({ length: active.length }, (_, i) => active.getLine(i))
      return lines.flatMap(line => (line?.isWrapped ? [line.translateToString(true)] : []))
    },
    isSecondScreen: () => emulator.buffer.active.type === 'alternate',
    press: keys => child.write(keys),
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows)
      child.resize(nextColumns, nextRows)
    },
    waitFor: pattern =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!pattern.test(screen()) && !hasEnded) return
          listeners.delete(look)
          if (pattern.test(screen())) resolve()
          else reject(new Error(`The process ended without ${pattern}:\n${screen()}`))
        }
        listeners.add(look)
        look()
      }),
    ended,
  }
}

/** Kills what still runs. Call it in afterAll. */
export function closeTerminals(): void {
  for (const child of open) child.kill('SIGKILL')
  open.clear()
}
