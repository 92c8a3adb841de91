import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation'
import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  InvokeCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { readCatalogEpochs } from '#lib/restore/catalog-epochs'
import { createPromotionStack } from '#lib/restore/promotion-stack'
import { createWait } from '#lib/restore/wait'
import { synthesize } from '#test/lib/synthesized'

/** What `npm run promote` does with a deployed stack, beside its table and its bucket. */

const lambda = mockClient(LambdaClient)
const sqs = mockClient(SQSClient)
const secrets = mockClient(SecretsManagerClient)
const cloudFormation = mockClient(CloudFormationClient)
const mocks = [lambda, sqs, secrets, cloudFormation]
// The files of a worker share the classes.
afterAll(() => {
  for (const mock of mocks) mock.restore()
})
beforeEach(() => {
  for (const mock of mocks) mock.reset()
})

const resources = {
  ...{ bucket: 'lake', table: 'state', mappings: ['to-lake', 'to-jobs'], scheduler: 'scheduler' },
  ...{ restore: 'restore', jobQueue: 'https://queue', emailKey: 'arn:key', callers: ['reports', 'control'] },
}

/** A stack on Lambda that remembers what it was told. `slept`: the waits, ms. */
function openStack() {
  const mappings = new Map(resources.mappings.map(uuid => [uuid, 'Enabled']))
  const reserved = new Map<string, number>()
  lambda.on(UpdateEventSourceMappingCommand).callsFake(({ UUID, Enabled }) => {
    mappings.set(UUID, Enabled ? 'Enabled' : 'Disabled')
    return {}
  })
  lambda.on(GetEventSourceMappingCommand).callsFake(({ UUID }) => ({ State: mappings.get(UUID) }))
  lambda.on(PutFunctionConcurrencyCommand).callsFake(input => {
    reserved.set(input.FunctionName, input.ReservedConcurrentExecutions)
    return {}
  })
  lambda.on(DeleteFunctionConcurrencyCommand).callsFake(({ FunctionName }) => {
    reserved.delete(FunctionName)
    return {}
  })
  lambda.on(GetFunctionConcurrencyCommand).callsFake(({ FunctionName }) => ({
    ReservedConcurrentExecutions: reserved.get(FunctionName),
  }))
  sqs.on(GetQueueAttributesCommand).resolves({ Attributes: { ApproximateNumberOfMessagesNotVisible: '0' } })
  const slept: number[] = []
  const clients = {
    ...{ lambda: new LambdaClient(), sqs: new SQSClient(), secrets: new SecretsManagerClient() },
    wait: createWait(async ms => slept.push(ms)),
  }
  return { stack: createPromotionStack(clients, resources), mappings, reserved, slept }
}

test('while a stack is stopped its functions answer nobody but senders of events, and then all run again', async () => {
  const { stack, mappings, reserved, slept } = openStack()
  expect(await stack.areStopped()).toBe(false)
  await stack.stopWriters()
  expect(await stack.areStopped()).toBe(true)
  expect(new Set(mappings.values())).toEqual(new Set(['Disabled']))
  expect(reserved).toEqual(new Map([...resources.callers, 'scheduler'].map(name => [name, 0])))
  // Functions keep the key of the e-mail index for five minutes.
  expect(Math.max(...slept)).toBeGreaterThanOrEqual(300_000)
  reserved.delete('control')
  expect(await stack.areStopped()).toBe(false)
  await stack.startWriters()
  expect([new Set(mappings.values()), reserved]).toEqual([new Set(['Enabled']), new Map()])
})

test('the key of the e-mail index is the text of its secret', async () => {
  const { stack } = openStack()
  secrets.on(GetSecretValueCommand, { SecretId: 'arn:key' }).resolves({ SecretString: 'first' })
  secrets.on(PutSecretValueCommand).resolves({})
  expect(await stack.readEmailKey()).toBe('first')
  await stack.writeEmailKey('second')
  expect(secrets.commandCalls(PutSecretValueCommand)[0]?.args[0].input).toEqual({
    SecretId: 'arn:key',
    SecretString: 'second',
  })
})

test('the stream is the one that feeds the lake', async () => {
  const { stack } = openStack()
  lambda
    .on(GetEventSourceMappingCommand, { UUID: 'to-lake' })
    .resolves({ EventSourceArn: 'arn:aws:kinesis:eu-central-1:1:stream/events' })
  expect(await stack.streamArn()).toBe('arn:aws:kinesis:eu-central-1:1:stream/events')
})

test('what the function restore has lost is told by its kinds', async () => {
  const { stack } = openStack()
  const answer = new TextEncoder().encode(JSON.stringify({ claims: 0, lost: { events: 2, records: 0 } }))
  lambda.on(InvokeCommand, { FunctionName: 'restore' }).resolves({ Payload: answer as never })
  expect(await stack.reconcile()).toEqual({ events: 2, records: 0 })
})

test('the epochs of the catalog are those of the deployed template, from firstEpoch on', async () => {
  const template = (context: Record<string, unknown>) => JSON.stringify(synthesize(context).template)
  cloudFormation.on(GetTemplateCommand, { StackName: 'Footfall' }).resolves({ TemplateBody: template({}) })
  const client = new CloudFormationClient()
  expect(await readCatalogEpochs(client, 'Footfall')).toEqual({ first: 1, last: 20_000 })
  cloudFormation.on(GetTemplateCommand).resolves({ TemplateBody: template({ firstEpoch: 18_001 }) })
  expect(await readCatalogEpochs(client, 'Footfall')).toEqual({ first: 18_001, last: 38_000 })
  cloudFormation.on(GetTemplateCommand).resolves({ TemplateBody: '{"Resources":{}}' })
  await expect(readCatalogEpochs(client, 'Other')).rejects.toThrow('The stack Other has no catalog')
})
