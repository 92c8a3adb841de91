import type { Client, Credential } from './http/client.ts'
import type { Io } from './io.ts'
import type { Block } from './print/blocks.ts'
import type { Spinner } from './print/spinner.ts'
import type { Store } from './session/store.ts'

/** The options that every command has. */
export type Globals = {
  json?: boolean
  csv?: boolean
  table?: string
  fields?: string[]
  baseUrl?: string
  insecure?: boolean
  configDir?: string
  demo?: boolean
}

export type Output = {
  /** Columns of the terminal, or what COLUMNS says; in a pipe without COLUMNS many. */
  width: number
  hasColor: boolean
  /** The result can be replaced in place. */
  isTerminal: boolean
  /** A human may answer a question. */
  canAsk: boolean
}

/** What a command with a course of its own uses. */
export type Session = {
  io: Io
  globals: Globals
  /** Of a command that succeeds. Another one than 0 is that of a program which ran in its place. */
  exitCode: number
  /** As it is now: a terminal may change its size. */
  readonly output: Output
  baseUrl(): string
  store(): Store
  /** The stored session, or that of the demo. */
  credential(): Credential
  /** Calls with that credential. */
  client: Client
  /** Calls without a credential. */
  openClient: Client
  /** Shows on a terminal what is awaited while the work goes on. */
  during: Spinner['during']
  /** The result in the form that the caller asked for; `text` is the raw response. */
  render(blocks: readonly Block[], text: string): string
  /** Prints the result in the form that the caller asked for; `text` is the raw response. */
  print(blocks: readonly Block[], text: string): void
  /** What is being done, and what to do next; never a result. */
  say(text: string): void
}
