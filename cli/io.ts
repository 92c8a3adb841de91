import type { Readable, Writable } from 'node:stream'

/** The variables of the environment, by name. */
export type Env = Readonly<Record<string, string | undefined>>

/** A pipe, a file, or a terminal that a person types on. */
export type Input = Readable & { isTTY?: boolean }

/** A pipe, a file, or a terminal, which has a size and tells by `resize` when it changes. */
export type Output = Writable & { isTTY?: boolean; columns?: number; rows?: number }

export type Clock = {
  /** Unix ms. */
  now(): number
  /** The pause between two looks at something that others do. */
  sleep(ms: number): Promise<void>
}

/** Where a program writes. */
export type ProgramOutput = { stdout: Writable; stderr: Writable }

/**
 * The world of one run of the command line: all that it takes from its process. `cli/entry.ts` hands in the
 * real process, and tests hand in streams and variables of their own, so that many runs share a process.
 * Names of files that are relative belong to the working folder of the process.
 */
export type Io = {
  /** The words after `footfall`. */
  args: readonly string[]
  /** Also the environment of the programs that it starts. */
  env: Env
  stdin: Input
  stdout: Output
  stderr: Output
  /** Calls of the service. */
  fetch: typeof fetch
  clock: Clock
  platform: NodeJS.Platform
  /** The home folder of the user. */
  home(): string
  /**
   * The folder of the service of this version: the clone or package around the command line, or the package
   * beside it.
   */
  service: string | null
  /** The Node of this process: its path, its version without `v`, and its processor, such as `x64`. */
  node: { program: string; version: string; arch: string }
  /** The id of this process, by which others know who holds a lock. */
  pid: number
  /** Whether a process with the id runs. */
  isRunning(pid: number): boolean
  /** Ends the process as Ctrl-C does, where a reader of single keys has taken its place. */
  interrupt(): void
  /**
   * Calls `restore` when the process ends, however it ends, so that the terminal is as it was. The returned
   * function takes this back.
   */
  atExit(restore: () => void): () => void
  /**
   * Runs a program on the streams of this process, or with `output` in the place of stdout and stderr, and
   * with `env` beside the environment. Until it ends, signals are for the program alone. Resolves with its
   * exit code, after its last output.
   */
  handOver(program: string, args: readonly string[], output?: ProgramOutput, env?: Env): Promise<number>
}
