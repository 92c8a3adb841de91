import type { Log, Now } from '#core/ports'
import { randomId } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'

export type Feedback = {
  id: string
  account_id: string
  message: string
  project?: string | undefined
  command?: string | undefined
  context?: string | undefined
  /** ISO 8601. */
  created_at: string
}

/** Where feedback goes besides the state table: a file, a topic, a webhook. */
export type FeedbackSink = {
  deliver(feedback: Feedback): Promise<void>
}

/**
 * Stores feedback, then delivers it to the configured sink. A sink that cannot be reached fails no request:
 * the stored copy stays, and the log says so.
 */
export function createFeedbackStore({
  clock,
  log,
  sink,
  ...state
}: StateTable & { clock: Now; log: Log; sink: FeedbackSink | null }) {
  const items = feedbackEntity(state)

  async function submit(given: Omit<Feedback, 'id' | 'created_at'>): Promise<void> {
    const created_at = new Date(clock.now()).toISOString()
    const feedback = { ...given, id: randomId('fbk'), created_at }
    const { message, ...item } = feedback
    await orUnavailable(items.put({ ...item, text: message }).go())
    await sink
      ?.deliver(feedback)
      .catch(error => log('FEEDBACK_NOT_DELIVERED', { id: feedback.id, error: String(error) }))
  }

  return { submit }
}

export type FeedbackStore = ReturnType<typeof createFeedbackStore>

function feedbackEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'feedback', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        text: { type: 'string', required: true },
        project: { type: 'string' },
        command: { type: 'string' },
        context: { type: 'string' },
        created_at: { type: 'string', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['id'] }),
    },
    { client, table },
  )
}
