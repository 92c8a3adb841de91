import type { Clock, Log } from '#core/ports'
import type { CredentialServices } from '#lambdas/chain/authenticate'
import type { RowFunctions } from './row-caller.ts'

export type McpServices = CredentialServices & {
  /** The functions whose rows the tools call, as plain functions. */
  functions: RowFunctions
  /** A secret of the install, from which the key of confirmations is derived. Every instance has the same. */
  secret(): Promise<string>
  /** The page that draws answers in a chat. Called when a host asks for it. */
  chatView(): Promise<string>
  clock: Clock
  log: Log
}
