import { Stack } from 'aws-cdk-lib'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import type { Config } from './config.ts'

/** Services of AWS that encrypt for a function, by their names in `kms:ViaService`. */
export type KeyService = 'athena' | 'dynamodb' | 'kinesis' | 's3' | 'secretsmanager' | 'sqs'

/** What a caller may do with the key through a service. */
export const KEY_USES = {
  read: ['kms:Decrypt'],
  // A multipart upload and a message of SQS are decrypted by their writer too.
  write: ['kms:Decrypt', 'kms:GenerateDataKey'],
  // docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
  table: [
    'kms:Decrypt',
    'kms:DescribeKey',
    'kms:Encrypt',
    'kms:GenerateDataKey',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
  ],
  // docs.aws.amazon.com/athena/latest/ug/encrypting-managed-results.html
  results: ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'],
} as const

/**
 * The deployer's key of the option `keyArn`, which encrypts all that the stack keeps; undefined without the
 * option: then each service uses its own key. The stack does not change the policy of the key
 * (docs/aws.md#a-key-of-your-own).
 */
export function dataKey(scope: Construct, { keyArn }: Pick<Config, 'keyArn'>): IKey | undefined {
  if (keyArn === undefined) return undefined
  const stack = Stack.of(scope)
  const known = stack.node.tryFindChild('DataKey') as IKey | undefined
  return known ?? Key.fromKeyArn(stack, 'DataKey', keyArn)
}

/**
 * The condition that the key is used through one service only. So a role that may read the bucket cannot
 * decrypt what somebody copied out of it.
 */
export function viaService(scope: Construct, service: KeyService): Record<string, Record<string, string[]>> {
  return { StringEquals: { 'kms:ViaService': [`${service}.${Stack.of(scope).region}.amazonaws.com`] } }
}
