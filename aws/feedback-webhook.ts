import type { Feedback, FeedbackSink } from '#core/accounts/feedback'

/** A slow receiver must not hold up the request. */
const TIMEOUT_MS = 3_000

/** Delivers feedback by POST of its JSON to an address of the operator, such as a chat's webhook. */
export function createFeedbackWebhook(url: string): FeedbackSink {
  return {
    async deliver(feedback: Feedback) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        // Chats show the field `text`.
        body: JSON.stringify({ ...feedback, text: feedback.message }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
      })
      if (!response.ok) throw new Error(`the webhook responded ${response.status}`)
    },
  }
}
