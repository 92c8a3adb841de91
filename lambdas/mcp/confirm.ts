import { createHash } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'

/** What is to be removed. The same fields, in the same order, are the same action. */
export type Action = Readonly<Record<string, string>>

/** What a signed state says: which action was asked about, and in which way. */
export type ConfirmationState = { action: string; by: 'human' | 'token' }

/**
 * Lets a removal go on only when it was confirmed. Where the client can ask its human, the human must say
 * yes: `confirm` throws HumanNeeded, and the client calls again with the human's answer. Other clients get a
 * token with the dry run, and call again with it: `confirm` throws TokenNeeded.
 */
export type Confirmation = (
  action: Action,
  ask: { question: string; token?: string | undefined },
) => Promise<void>

/** The client must ask its human, and call again. */
export class HumanNeeded extends Error {
  readonly result: InputRequiredResult

  constructor(result: InputRequiredResult) {
    super('a human has to confirm')
    this.result = result
  }
}

/** The caller must look at the dry run, and call again with the token. */
export class TokenNeeded extends Error {
  readonly token: string

  constructor(token: string) {
    super('a token has to confirm')
    this.token = token
  }
}

/** The human has said no. */
export class Declined extends Error {}

const answer = z.object({ confirm: z.boolean().meta({ title: 'Remove it for good' }) })

/** The confirmation of one call. A state and a token are good for ten minutes, for one credential. */
export function createConfirmation(
  codec: RequestStateCodec<ConfirmationState>,
  context: ServerContext,
): Confirmation {
  return async function confirm(action, { question, token }) {
    const digest = digestOf(action)
    if (!canAskHuman(context)) {
      const state = token === undefined ? null : await codec.verify(token, context).catch(() => null)
      if (state?.by === 'token' && state.action === digest) return
      throw new TokenNeeded(await codec.mint({ action: digest, by: 'token' }, context))
    }
    const state = context.mcpReq.requestState<ConfirmationState>()
    const isAsked = state?.by === 'human' && state.action === digest
    if (isAsked && context.mcpReq.inputResponses?.confirm !== undefined) {
      if (acceptedContent(context.mcpReq.inputResponses, 'confirm', answer)?.confirm === true) return
      throw new Declined()
    }
    throw new HumanNeeded(
      inputRequired({
        inputRequests: { confirm: inputRequired.elicit({ message: question, requestedSchema: answer }) },
        requestState: await codec.mint({ action: digest, by: 'human' }, context),
      }),
    )
  }
}

/** The revision of 2026-07-28 says with each request what the client can do. */
function canAskHuman({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined
  return envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation !== undefined
}

function digestOf(action: Action): string {
  return createHash('sha256').update(JSON.stringify(action)).digest('base64url')
}
