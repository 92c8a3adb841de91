import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns'
import type { FeedbackSink } from '#core/accounts/feedback'

/**
 * Delivers feedback to an SNS topic of the operator, as JSON; its subscribers may be addresses, queues or
 * functions.
 */
export function createFeedbackTopic({
  client,
  topicArn,
}: {
  client: SNSClient
  topicArn: string
}): FeedbackSink {
  return {
    async deliver(feedback) {
      const Message = JSON.stringify(feedback, null, 2)
      await client.send(new PublishCommand({ TopicArn: topicArn, Subject: 'Feedback to Footfall', Message }))
    },
  }
}
