import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreateTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { expect, onTestFinished, test } from 'vitest'
import { createSnsClient } from '#aws/clients'
import { createFeedbackTopic } from '#aws/feedback-topic'
import { createFeedbackWebhook } from '#aws/feedback-webhook'
import { EMULATOR_ACCESS, startStorage } from '#test/support/emulators'

const FEEDBACK = {
  id: 'fbk_1',
  account_id: 'acc_1',
  message: 'Grüße: the funnel of 🛒 is "wrong"',
  project: 'shop',
  created_at: '2026-11-22T10:00:00.000Z',
}

test('the subscribers of the topic get the feedback as JSON', async () => {
  const storage = await startStorage()
  onTestFinished(() => storage.stop())
  const client = createSnsClient({ endpoint: storage.endpoint, ...EMULATOR_ACCESS })
  const { TopicArn = '' } = await client.send(new CreateTopicCommand({ Name: 'feedback' }))
  const QueueUrl = storage.createQueue(30)
  const Endpoint = `arn:aws:sqs:us-east-1:000000000000:${QueueUrl.split('/').at(-1)}`
  await client.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }))

  await createFeedbackTopic({ client, topicArn: TopicArn }).deliver(FEEDBACK)

  const { Messages = [] } = await storage.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }),
  )
  const { Message } = JSON.parse(Messages[0]?.Body ?? '{}')
  expect(JSON.parse(Message)).toEqual(FEEDBACK)
})

test('the webhook gets the feedback with the field that chats show, and its refusal is an error', async () => {
  const bodies: string[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    bodies.push(Buffer.concat(await request.toArray()).toString('utf8'))
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const sink = createFeedbackWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await sink.deliver(FEEDBACK)
  expect(JSON.parse(bodies[0] ?? '')).toEqual({ ...FEEDBACK, text: FEEDBACK.message })
  status = 500
  await expect(sink.deliver(FEEDBACK)).rejects.toThrow('500')
})
