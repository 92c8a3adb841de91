import type * as z from 'zod'
import type { Caller } from '#core/access/caller'
import type { Scope } from '#schemas/scopes'
import type { Answer } from './answer.ts'
import type { Confirmation } from './confirm.ts'
import type { CallRow } from './row-caller.ts'
import type { Renames } from './tool-words.ts'

/** What a tool works with: the rows of the API, as the caller. */
export type ToolContext = {
  call: CallRow
  caller: Caller
  /** Address of the service, without a slash at its end. */
  baseUrl: string
  /** Unix ms. */
  now: number
  /** How the client asks a human before something is deleted. */
  confirm: Confirmation
}

export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  name: string
  title: string
  /** What it answers, for the model that chooses. Every word costs tokens in every session. */
  description: string
  input: Input
  /** For messages of the API: its names of arguments that the tool calls differently. */
  renames?: Renames
  /** The scope that a call needs which changes something. */
  scopeOf?(args: z.output<Input>): Scope
  /** The scopes of its changes. A caller without any of them does not see the tool in the list. */
  scopes?: readonly Scope[]
  /** An API key only reads. */
  effect: 'reads' | 'changes' | 'deletes'
  /** Whether hosts that can show pages draw its answers (resources.ts). */
  isDrawn?: boolean
  run(args: z.output<Input>, context: ToolContext): Promise<Answer>
}

/** Keeps the types of the arguments inside a tool; the list of tools forgets them. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool
}
