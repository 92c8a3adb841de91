import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import { SECOND_MS, type Wait } from './wait.ts'

/** What the function `restore` has found (docs/aws.md). */
export type Found = Record<string, unknown> & { lost: Record<string, number> }

/** Calls until it must be done: each continues where the last one has ended. */
const CALLS = 96
/** A call that has ended without an answer may still run until its 15 minutes are over. */
const AFTER_TIMEOUT_MS = 15 * 60 * SECOND_MS
const AFTER_REFUSAL_MS = 60 * SECOND_MS
const REFUSED = /Maintenance runs|Another restoration runs/

/**
 * Calls the function `restore` until it says what it has found. It makes table and lake agree, in calls of up
 * to 15 minutes. Throws its error if that is no reason to call again. The client must not repeat a call by
 * itself (maxAttempts 1), and must wait for over 15 minutes.
 */
export async function callRestore(
  { lambda, wait }: { lambda: LambdaClient; wait: Wait },
  FunctionName: string,
): Promise<Found> {
  for (let i = 0; i < CALLS; i++) {
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand({ FunctionName }))
    const text = Buffer.from(Payload ?? []).toString('utf8')
    if (FunctionError === undefined) return JSON.parse(text) as Found
    if (REFUSED.test(text)) await wait.pause(AFTER_REFUSAL_MS)
    else if (/Task timed out/.test(text)) await wait.pause(AFTER_TIMEOUT_MS)
    else throw new Error(`The function restore has failed: ${text}`)
  }
  throw new Error('The function restore is not done after a day. Look at its log, and run the command again.')
}
