import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda'
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { callRestore } from './call-restore.ts'
import type { ServiceResources } from './service-resources.ts'
import type { Wait } from './wait.ts'
import { startWriters, stopWriters } from './writers.ts'

export type StackClients = {
  lambda: LambdaClient
  sqs: SQSClient
  secrets: SecretsManagerClient
  wait: Wait
}

/**
 * What a promotion does with a deployed stack, besides its table and its bucket. While the writers are
 * stopped, the functions of `resources.callers` answer nobody: a key that is revoked, or a person who is
 * erased there, would be back with the last copy.
 */
export function createPromotionStack(clients: StackClients, resources: ServiceResources) {
  const { lambda, secrets } = clients
  const SecretId = resources.emailKey
  return {
    async readEmailKey(): Promise<string> {
      return (await secrets.send(new GetSecretValueCommand({ SecretId }))).SecretString ?? ''
    },

    /** The ARN of the stream: that of the resource has its name alone. */
    async streamArn(): Promise<string> {
      const [UUID] = resources.mappings
      return (await lambda.send(new GetEventSourceMappingCommand({ UUID }))).EventSourceArn ?? ''
    },

    async writeEmailKey(key: string): Promise<void> {
      await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: key }))
    },

    async stopWriters(): Promise<void> {
      for (const FunctionName of resources.callers)
        await lambda.send(
          new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }),
        )
      await stopWriters(clients, resources)
    },

    async areStopped(): Promise<boolean> {
      const mappings = resources.mappings.map(async UUID => {
        const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID }))
        return State === 'Disabled'
      })
      const functions = [...resources.callers, resources.scheduler].map(async FunctionName => {
        const found = await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }))
        return found.ReservedConcurrentExecutions === 0
      })
      return (await Promise.all([...mappings, ...functions])).every(Boolean)
    },

    async startWriters(): Promise<void> {
      await startWriters(clients, resources)
      for (const FunctionName of resources.callers)
        await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
    },

    async reconcile(): Promise<Record<string, number>> {
      return (await callRestore(clients, resources.restore)).lost
    },
  }
}
