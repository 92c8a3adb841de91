import type * as z from 'zod'
import { shareConcurrency } from './concurrency.ts'
import { optionsSchema } from './options.ts'

/**
 * The options that `cdk deploy -c name=value` or `context` in cdk.json can set. Every option has a default
 * that works.
 */

/** Rules about combinations of options. */
const consistentSchema = optionsSchema
  .refine(options => (options.domainName === undefined) === (options.certificateArn === undefined), {
    path: ['certificateArn'],
    message: 'Set it together with domainName',
  })
  .refine(options => options.hostedZoneId === undefined || options.domainName !== undefined, {
    path: ['hostedZoneId'],
    message: 'Set domainName too',
  })
  .refine(options => options.edge || options.domainName === undefined, {
    path: ['domainName'],
    message: 'Use it with edge=true only. CloudFront serves the domain',
  })
  .refine(options => options.edge || options.ingestion === 'api', {
    path: ['ingestion'],
    message: 'Use function-url with edge=true only. Only the secret of CloudFront protects the address',
  })
  .refine(options => options.ingestion === 'api' || shareConcurrency(options).track !== undefined, {
    path: ['ingestion'],
    message:
      'Set concurrency too, to 125 or more: nothing but the executions that are reserved for ingestion limits a function URL',
  })
  .refine(options => options.backupVaultArn === undefined || options.backupDays !== undefined, {
    path: ['backupVaultArn'],
    message: 'Set backupDays too',
  })
  .refine(options => options.edge || options.webAclArn === undefined, {
    path: ['webAclArn'],
    message: 'Use it with edge=true only. An HTTP API takes no web ACL',
  })
  .refine(options => new Set(options.edgeKeys.split(',')).size === options.edgeKeys.split(',').length, {
    path: ['edgeKeys'],
    message: 'Use two different numbers',
  })
  .refine(options => options.shards === undefined || options.streamMode === 'provisioned', {
    path: ['shards'],
    message: 'Use it with streamMode=provisioned only. An on-demand stream chooses its shards itself',
  })
  .refine(options => options.alarmEmail === undefined || options.alarmTopicArn === undefined, {
    path: ['alarmTopicArn'],
    message: 'Set either alarmTopicArn or alarmEmail, not both',
  })
  .refine(options => options.monthlyBudgetUsd === undefined || options.alarmEmail !== undefined, {
    path: ['monthlyBudgetUsd'],
    message: 'Set alarmEmail too: the notices of the budget go there',
  })
  .refine(options => options.feedbackWebhook === undefined || options.feedbackTopicArn === undefined, {
    path: ['feedbackTopicArn'],
    message: 'Set either feedbackTopicArn or feedbackWebhook, not both',
  })
  .refine(options => (options.openIdIssuer === undefined) === (options.openIdClientId === undefined), {
    path: ['openIdClientId'],
    message: 'Set it together with openIdIssuer',
  })
  .refine(options => options.accessSecretArn !== undefined || !needsSecret(options), {
    path: ['accessSecretArn'],
    message: 'Set it too: the provider of openIdIssuer, codeHostClientId or stripePrice needs a secret',
  })
  .refine(
    options =>
      options.keyArns === undefined || (options.accessSecretArn ?? options.feedbackTopicArn) !== undefined,
    {
      path: ['keyArns'],
      message: 'Use it with accessSecretArn or feedbackTopicArn only. keyArn encrypts what the stack keeps',
    },
  )
  .refine(
    ({ keyArn, replicaBucketArn, replicaKeyArn }) =>
      (replicaKeyArn !== undefined) === (keyArn !== undefined && replicaBucketArn !== undefined),
    {
      path: ['replicaKeyArn'],
      message:
        'Set it together with keyArn and replicaBucketArn: S3 copies what your key encrypts under a second key only',
    },
  )
  .refine(options => options.stripePrice === undefined || options.profile === 'hosted', {
    path: ['stripePrice'],
    message: 'Use it with profile=hosted only',
  })

function needsSecret(options: z.output<typeof optionsSchema>): boolean {
  const { openIdIssuer, codeHostClientId, stripePrice } = options
  return [openIdIssuer, codeHostClientId, stripePrice].some(option => option !== undefined)
}

export type Config = z.output<typeof optionsSchema>

/** All options with their descriptions, in the order of the documentation. */
export const options: { name: string; description: string }[] = Object.entries(optionsSchema.shape).map(
  ([name, field]) => ({ name, description: field.meta()?.description ?? '' }),
)

/** An option is wrong. The message tells the deployer what to change. */
export class ConfigError extends Error {}

/**
 * The options in the context of the CDK, unchecked. A context key that is not one word belongs to the CDK
 * (feature flags, looked-up values) and is skipped.
 */
export function readOptions(context: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(context).filter(([name]) => /^[A-Za-z]\w*$/.test(name)))
}

/**
 * Reads the options from the CDK context. Throws ConfigError, which names every bad option. Every unknown key
 * is an error, so that no misspelt option is ignored.
 */
export function readConfig(context: Record<string, unknown>): Config {
  const result = consistentSchema.safeParse(readOptions(context))
  if (result.success) return result.data
  const knownNames = options.map(({ name }) => name).join(', ')
  const problems = result.error.issues.map(issue =>
    issue.code === 'unrecognized_keys'
      ? `There is no option ${issue.keys.join(', ')}. Use one of ${knownNames}.`
      : `Option ${issue.path.join('.')} is not valid. ${issue.message}.`,
  )
  throw new ConfigError(problems.join('\n'))
}
